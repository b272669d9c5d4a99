"""Rules for gRPC: grpcio, its asyncio API, and grpclib, with the error details of google.rpc."""

from mulligan.plugin import Rules
from mulligan_grpc import grpcio, grpclib, statuses

__all__ = ["classify", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules()
rules.include(statuses.rules, grpcio.rules, grpclib.rules)

classify = rules.hookimpl()

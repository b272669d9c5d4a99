"""One GET through each client, in the same way."""

import asyncio
from collections.abc import Callable

import aiohttp
import httpx
import httpx2
import requests
import urllib3

Get = Callable[..., object]
TIMEOUT = 5.0


def with_requests(url: str, *, timeout: float = TIMEOUT, proxy: str | None = None) -> object:
    with requests.Session() as session:
        session.trust_env = False
        session.proxies = {"http": proxy, "https": proxy} if proxy else {}
        answer = session.get(url, timeout=timeout)
        answer.raise_for_status()
        return answer.text


def with_httpx(url: str, *, timeout: float = TIMEOUT, proxy: str | None = None) -> object:
    with httpx.Client(trust_env=False, timeout=timeout, proxy=proxy, follow_redirects=True) as client:
        return client.get(url).raise_for_status().text


def with_httpx2(url: str, *, timeout: float = TIMEOUT, proxy: str | None = None) -> object:
    with httpx2.Client(trust_env=False, timeout=timeout, proxy=proxy, follow_redirects=True) as client:
        return client.get(url).raise_for_status().text


def with_urllib3(url: str, *, timeout: float = TIMEOUT, proxy: str | None = None) -> object:
    pool = urllib3.ProxyManager(proxy) if proxy else urllib3.PoolManager()
    with pool:
        return pool.request("GET", url, timeout=timeout, retries=urllib3.Retry(0, redirect=5)).data


def with_aiohttp(url: str, *, timeout: float = TIMEOUT, proxy: str | None = None) -> object:
    async def get() -> str:
        limits = aiohttp.ClientTimeout(sock_connect=timeout, sock_read=timeout)
        session = aiohttp.ClientSession(raise_for_status=True, timeout=limits)
        async with session, session.get(url, proxy=proxy) as answer:
            return await answer.text()

    return asyncio.run(get())


CLIENTS = [with_requests, with_httpx, with_httpx2, with_urllib3, with_aiohttp]


def raised(get: Get, url: str, **options: object) -> Exception:
    try:
        get(url, **options)
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")

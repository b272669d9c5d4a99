"""Stripe, through `stripe`: by the decline code, then the code, then the type, then the status.

https://docs.stripe.com/error-codes and the npm package stripe 23.1.0, whose lists of codes and types are
`tests/published/stripe.txt`. No package lists the decline codes; they are those of https://docs.stripe.com/declines/codes.
"""

from __future__ import annotations

import re

from mulligan.plugin import (
    Codes,
    Failure,
    Problem,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    status_error,
)
from mulligan.plugin import meanings as m
from mulligan_payments import declines as d
from mulligan_payments.sent import problem_at, sent_value

rules = Rules("stripe")
last = Rules("stripe", last=True)
SERVICE = "Stripe"

LIVE_KEY = m.PERMISSION._replace(message="The account at the service is not activated: it can make test charges only")
PLATFORM = m.PERMISSION._replace(message="The service allows this to platform accounts only")
UPSTREAM = m.UNAVAILABLE._replace(message="The destination behind the service is temporarily unavailable")
UPSTREAM_FAILED = m.FAILED._replace(message="The destination behind the service failed", effect="possible")
UPSTREAM_TIMEOUT = m.TIMEOUT._replace(message="The destination behind the service did not respond in time")
WRONG_MODE = m.CONFLICT._replace(
    message="The object and the API key of the service belong to different modes, test and live"
)
READER = m.CONFLICT._replace(message="The card reader is busy, offline or did not respond", effect="possible")
OLD_TLS = m.TLS._replace(message="The service does not support this version of TLS")
BLOCKED = m.CONFLICT._replace(message="The service blocked this as unusual")
STALE = m.CONFLICT._replace(message="The quote or session has expired: a new one is needed")
INCOMPLETE = m.CONFLICT._replace(message="The service could not complete the valid request")
BANK_ACCOUNT = m.CONFLICT._replace(message="The bank account cannot be used or is not verified")

codes = Codes(
    {
        d.KEY: "api_key_expired platform_api_key_expired secret_key_required",
        LIVE_KEY: "testmode_charges_only",
        PLATFORM: "platform_account_required",
        WRONG_MODE: "livemode_mismatch",
        OLD_TLS: "tls_version_unsupported",
        m.RATE_LIMIT: "rate_limit",
        m.QUOTA: "quota_exceeded",
        d.KEY_IN_USE: "idempotency_key_in_use",
        d.KEY_REUSED: "idempotency_error",
        d.IN_PROGRESS: "lock_timeout token_in_use",
        m.NOT_FOUND: "resource_missing account_invalid no_account invoice_upcoming_none",
        m.EXISTS: "resource_already_exists bank_account_exists",
        d.DONE: """
            already_canceled charge_already_captured charge_already_refunded
            payment_method_bank_account_already_verified return_intent_already_processed token_already_used
        """,
        d.BALANCE: "balance_insufficient",
        d.FUNDS: "insufficient_funds charge_exceeds_source_limit charge_exceeds_transaction_limit",
        d.EXPIRED: "expired_card expired_payment_method",
        d.WRONG_DATA: """
            incorrect_address incorrect_cvc incorrect_number incorrect_postal_code incorrect_zip invalid_cvc
            invalid_expiry_month invalid_expiry_year invalid_number
        """,
        d.UNAUTHENTICATED: """
            approval_required authentication_failure authentication_required intent_verification_method_missing
            invoice_payment_intent_requires_action payment_intent_action_required
            payment_intent_authentication_failure setup_intent_authentication_failure
            three_d_secure_authentication_not_supported three_d_secure_authentication_upstream_error
        """,
        d.UNSUPPORTED: """
            invalid_card_type payment_intent_incompatible_payment_method payment_method_currency_mismatch
            payment_method_restricted payment_method_unactivated payment_method_unsupported_type
            sepa_unsupported_account setup_intent_mobile_wallet_unsupported
        """,
        d.TRY_LATER: """
            payment_method_not_available payment_method_provider_decline payment_method_provider_timeout
            processing_error
        """,
        d.DECLINED: """
            bank_account_declined blocked_by_stripe card_decline_rate_limit_exceeded card_declined card_error
            debit_not_authorized india_recurring_payment_mandate_canceled invalid_payment_method
            invalid_payout_method invalid_vaulted_credential payment_intent_mandate_invalid
            payment_intent_payment_attempt_failed payment_method_bank_account_blocked payment_method_customer_decline
            refer_to_customer request_blocked setup_attempt_failed setup_intent_mandate_invalid
        """,
        BANK_ACCOUNT: """
            account_closed bank_account_restricted bank_account_unusable bank_account_unverified
            bank_account_verification_failed payment_method_microdeposit_failed
            payment_method_microdeposit_processing_error payment_method_microdeposit_verification_attempts_exceeded
            payment_method_microdeposit_verification_timeout
        """,
        BLOCKED: "action_blocked anomalous_money_movement_request",
        STALE: """
            customer_session_expired fx_quote_needs_refresh payment_intent_konbini_rejected_confirmation_number
            payment_intent_payment_attempt_expired setup_intent_setup_attempt_expired temporary_session_expired
            verification_expired
        """,
        READER: """
            terminal_reader_busy terminal_reader_hardware_fault terminal_reader_offline terminal_reader_timeout
        """,
        d.DENIED: """
            account_error_country_change_requires_additional_steps application_fees_not_allowed
            not_allowed_on_standard_account ownership_declaration_not_allowed payouts_not_allowed transfers_not_allowed
        """,
        d.NOT_SET_UP: """
            capability_not_active capability_not_enabled customer_tax_location_invalid feature_not_enabled
            financial_account_balance_does_not_support_currency financial_account_capability_not_enabled
            financial_account_capability_restricted financial_account_not_open forwarding_api_inactive
            instant_payouts_config_disabled instant_payouts_currency_disabled instant_payouts_unsupported
            invoice_no_payment_method_types payment_method_configuration_failures smart_disputes_not_available
            storer_capability_missing storer_capability_not_active stripe_tax_inactive
        """,
        m.LIMIT_REACHED: """
            customer_max_payment_methods customer_max_subscriptions dispute_evidence_page_limit_exceeded
            instant_payouts_limit_exceeded payment_intent_rate_limit_exceeded payouts_limit_exceeded
            progressive_onboarding_limit_exceeded
        """,
        m.CONFLICT: """
            acss_debit_session_incomplete billing_invalid_mandate cannot_proceed capture_charge_authorization_expired
            capture_unauthorized_payment charge_disputed charge_expired_for_capture charge_not_refundable
            controlled_by_alternate_resource coupon_expired failed_tax_calculation
            financial_connections_account_inactive financial_connections_account_pending_account_numbers
            financial_connections_account_unavailable_account_numbers
            financial_connections_no_successful_transaction_refresh intent_invalid_state
            invoice_no_customer_line_items invoice_no_subscription_line_items invoice_not_editable
            invoice_on_behalf_of_not_editable missing not_cancelable out_of_inventory payment_intent_unexpected_state
            payment_method_unexpected_state payout_reconciliation_not_ready product_inactive
            recipient_not_notifiable refund_disputed_payment
            service_period_coupon_with_metered_tiered_item_unsupported setup_intent_unexpected_state
            shipping_calculation_failed sku_inactive status_transition_invalid
            subscription_update_trial_after_billing_cycle_anchor taxes_calculation_failed verification_attempt_failed
            verification_not_initiated
        """,
        UPSTREAM: "forwarding_api_retryable_upstream_error forwarding_api_upstream_connection_error",
        UPSTREAM_TIMEOUT: "forwarding_api_upstream_connection_timeout",
        UPSTREAM_FAILED: "forwarding_api_upstream_error",
        m.UNIMPLEMENTED: "alipay_upgrade_required bitcoin_upgrade_required payment_evaluation_on_api_version_not_supported",
        m.ARGUMENT: """
            account_country_invalid_address account_information_mismatch account_number_invalid
            account_token_required_for_v2_account amount_too_large amount_too_small balance_invalid_parameter
            bank_account_bad_routing_numbers cardholder_phone_number_required charge_invalid_parameter
            clearing_code_unsupported country_code_invalid country_unsupported email_invalid
            financial_connections_consent_locale_invalid financial_connections_consent_locale_unsupported
            forwarding_api_invalid_parameter invalid_canceled_subscription_fields invalid_characters
            invalid_charge_amount invalid_fields invalid_mandate_reference_prefix_format invalid_source_usage
            invalid_tax_location parameter_invalid_empty parameter_invalid_integer parameter_invalid_string_blank
            parameter_invalid_string_empty parameter_missing parameter_unknown parameters_exclusive
            payment_intent_invalid_parameter payment_method_billing_details_address_missing
            payment_method_invalid_parameter payment_method_invalid_parameter_testmode
            payment_method_microdeposit_verification_amounts_invalid
            payment_method_microdeposit_verification_amounts_mismatch
            payment_method_microdeposit_verification_descriptor_code_mismatch postal_code_invalid
            routing_number_invalid setup_intent_invalid_parameter shipping_address_invalid siret_invalid
            state_unsupported tax_id_invalid tax_id_prohibited terminal_location_country_unsupported
            terminal_reader_invalid_location_for_activation terminal_reader_invalid_location_for_payment
            token_card_network_invalid transfer_source_balance_parameters_mismatch url_invalid
        """,
    },
    words=(
        (m.NOT_FOUND, "_(missing|not_found)$"),
        (m.EXISTS, "_already_exists$"),
        (d.DONE, "_already_"),
        (m.ARGUMENT, "^parameters?_|^invalid_|_invalid(_|$)"),
        (m.CONFLICT, "_unexpected_state$|_expired$"),
    ),
    skipped={
        "a type of which the code or the status says more": "api_error invalid_request_error",
        "a code of OAuth, which mulligan itself reads": """
            invalid_client invalid_grant invalid_request invalid_scope unsupported_grant_type
            unsupported_response_type
        """,
    },
)
decline_codes = Codes(
    {
        d.FUNDS: "card_velocity_exceeded insufficient_funds invalid_amount withdrawal_count_limit_exceeded",
        d.EXPIRED: "expired_card",
        d.WRONG_DATA: """
            incorrect_address incorrect_cvc incorrect_number incorrect_zip invalid_cvc invalid_expiry_month
            invalid_expiry_year invalid_number
        """,
        d.PIN: "incorrect_pin invalid_pin offline_pin_required online_or_offline_pin_required pin_try_exceeded",
        d.UNAUTHENTICATED: "authentication_not_handled authentication_required mobile_device_authentication_required",
        d.UNSUPPORTED: "card_not_supported currency_not_supported transaction_not_allowed",
        d.TRY_LATER: """
            approve_with_id issuer_not_available no_action_taken processing_error reenter_transaction try_again_later
        """,
        d.DUPLICATE: "duplicate_transaction",
        d.DECLINED: """
            call_issuer do_not_honor do_not_try_again fraudulent generic_decline
            invalid_account lost_card merchant_blacklist new_account_information_available not_permitted pickup_card
            restricted_card revocation_of_all_authorizations
            revocation_of_authorization security_violation service_not_allowed stolen_card stop_payment_order
            testmode_decline
        """,
    }
)
# Stripe asks not to reveal these reasons to the payer, so the model reads the general code.
_PRIVATE = (
    "fraudulent", "lost_card", "merchant_blacklist", "pickup_card", "restricted_card",
    "security_violation", "stolen_card",
)  # fmt: skip
_OF_CARD_DATA = (d.EXPIRED, d.WRONG_DATA)  # declines that the arguments of the call may have caused
_FIELDS = {  # for codes that come without `param`
    "account_number_invalid": "account_number",
    "amount_too_large": "amount",
    "amount_too_small": "amount",
    "country_code_invalid": "country",
    "email_invalid": "email",
    "expired_card": "exp_month",
    "incorrect_cvc": "cvc",
    "incorrect_number": "number",
    "incorrect_zip": "postal_code",
    "invalid_charge_amount": "amount",
    "invalid_cvc": "cvc",
    "invalid_expiry_month": "exp_month",
    "invalid_expiry_year": "exp_year",
    "invalid_number": "number",
    "postal_code_invalid": "postal_code",
    "routing_number_invalid": "routing_number",
    "tax_id_invalid": "tax_id",
    "url_invalid": "url",
}
_MISSING = ("parameter_missing", "parameter_invalid_empty", "parameter_invalid_string_empty")
_OF_STATUS = {402: INCOMPLETE, 409: d.KEY_IN_USE, 424: UPSTREAM}
_QUOTED_ID = re.compile(r"No such [\w ]{1,60}: '([^'\s]{1,200})'")
_ACCOUNT = re.compile(r"\bacct_[A-Za-z0-9]{1,60}\b")
_PERMISSION = re.compile(r"'(rak_[a-z0-9_]{1,80})'")


@rules("stripe.SignatureVerificationError")
def signature(_: Failure) -> ToolError:
    """An event with an invalid signature: it was forged or changed, or the secret is another endpoint's."""
    return ToolArgumentError("The signature of the Stripe event is invalid.")


@rules("stripe.StripeError")
def answered(failure: Failure) -> ToolError | None:
    """An error response from Stripe, by its decline code, code and type, otherwise by status."""
    error = _by_code(failure) or _by_status(failure)
    if isinstance(error, ToolAuthenticationError):
        error.user_message = "Stripe rejected the API key. Provide a valid one, then try again."
    elif isinstance(error, ToolPermissionError) and error.fatal:
        _name_account(error, failure)
    elif isinstance(error, ResourceNotFoundError):
        error.resource = _resource(failure)
        if error.resource:
            error.message = f"Resource not found: {error.resource}"
    elif isinstance(error, ToolArgumentError):
        problem = _problem(failure)
        error.problems = [problem] if problem else failure.problems
    if error is not None and (failure.status or 0) >= 500:
        error.effect = "possible"
    return error


def _error_field(failure: Failure, name: str) -> str:
    """A field of the error in Stripe's response; only some of the client's exceptions repeat it as an attribute."""
    value = failure.look("json_body", "error", name)
    return value if isinstance(value, str) else ""


def _by_code(failure: Failure) -> ToolError | None:
    decline = _error_field(failure, "decline_code")
    for known, code in (
        (decline_codes, decline),
        (codes, _error_field(failure, "code")),
        (codes, _error_field(failure, "type")),
    ):
        meaning = known.meaning_of(code)
        if meaning is None:
            continue
        if meaning in _OF_CARD_DATA and _problem(failure) is not None:
            meaning = m.ARGUMENT._replace(message=meaning.message)
        shown = "card_declined" if decline in _PRIVATE else code
        resource = None if decline or meaning in _OF_CARD_DATA else _resource(failure)
        if meaning.cls in (ResourceConflictError, ToolPermissionError):
            return m.error_of(failure, meaning, service=SERVICE, told=shown, resource=resource)
        return m.error_of(failure, meaning, service=SERVICE, told=shown)
    return None


def _problem(failure: Failure) -> Problem | None:
    """The argument from which Stripe's parameter was made, if there is one."""
    code = _error_field(failure, "decline_code") or _error_field(failure, "code")
    field = _error_field(failure, "param") or _error_field(failure, "invalid_param") or _FIELDS.get(code)
    return problem_at(field, failure.arguments, is_missing=code in _MISSING)


def _by_status(failure: Failure) -> ToolError | None:
    """The meaning of the status, which is the usual one with a few exceptions."""
    if failure.matches("stripe.AuthenticationError"):  # also without a response, if no key is set
        return m.error_of(failure, d.KEY, service=SERVICE)
    status = failure.status
    if status is None:
        return None
    meaning = _OF_STATUS.get(status)
    return m.error_of(failure, meaning, service=SERVICE) if meaning else status_error(failure, service=SERVICE)


def _resource(failure: Failure) -> str | None:
    """The value sent for the parameter that Stripe names, otherwise the identifier that Stripe quotes."""
    quoted = _QUOTED_ID.search(_error_field(failure, "message")[:1_000])
    return sent_value(_error_field(failure, "param"), failure.arguments) or (quoted[1] if quoted else failure.resource)


def _name_account(error: ToolPermissionError, failure: Failure) -> None:
    """Names the missing permission and the account. Otherwise, the resource would be the key."""
    message = _error_field(failure, "message")[:1_000]
    account, needed = _ACCOUNT.search(message), _PERMISSION.search(message)
    error.resource = account[0] if account else None
    error.message = f"Stripe denied permission: {account[0]}." if account else "Stripe denied permission."
    error.user_message = (
        f"The Stripe API key lacks a permission: {needed[1]}."
        if needed
        else "The Stripe account or its API key may not do this. Grant it in Stripe's dashboard, then try again."
    )


@last("stripe.StripeError")
def other(_: Failure) -> ToolError:
    """Any other exception of the client."""
    return ToolExecutionError("The Stripe call failed.")

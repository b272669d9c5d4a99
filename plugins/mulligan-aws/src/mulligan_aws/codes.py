"""The meanings of AWS error codes: documented ones by name, others by the words that they consist of.

Sources: the "Common Errors" page that every API reference shares, the error lists of Amazon S3 and Amazon EC2, and the
error shapes of botocore 1.44.5, whose names are `tests/published/botocore.txt`.
"""

from __future__ import annotations

from mulligan.plugin import Codes, ToolArgumentError, ToolExecutionError
from mulligan.plugin import meanings as m

DRY_RUN = m.Meaning(ToolExecutionError, "The dry run would have succeeded; nothing was changed", effect="none")
UNCHANGED = m.Meaning(
    ToolExecutionError, "The object was not modified since, so the service did not send it", effect="none"
)
MOVED = m.Meaning(ToolArgumentError, "The resource is in another region or at another endpoint of the service")
DENIED = m.PERMISSION._replace(message="The service does not permit this here", fatal=False)
KEY = m.PERMISSION._replace(message="The service denied permission")
QUOTA = m.QUOTA._replace(message="A quota of the account at the service is exhausted")

codes = Codes(
    {
        m.AUTHENTICATION: """
            400-401 401 AccessKeyIdNotFound AuthFailure CredentialsNotFound ExpiredCredentials ExpiredIdentityToken
            IDPRejectedClaim IncompleteSignature InvalidAccessKeyId InvalidClient InvalidClientTokenId InvalidGrant
            InvalidIdentityToken InvalidSecurity InvalidSignature InvalidToken MissingAuthenticationToken
            MissingSecurityHeader NotSignedUp PasswordResetRequired RequestExpired RequestTimeTooSkewed
            SSOTokenNotFound SignatureDoesNotMatch TokenRefreshRequired UnauthorizedClient UnauthorizedSSOToken
            UnrecognizedClient X509CertificateInvalid
        """,
        m.PERMISSION: """
            403 AccountProblem AccountSuspended AllAccessDisabled AuthorizationError Blocked
            CrossLocationLoggingProhibited CustomerNotEntitled InvalidPayer KMSOptInRequired OperationDisabled
            OptInRequired PendingVerification ProductionAccessNotGranted SubscriptionRequired
        """,
        DENIED: """
            BucketPermission CommentNotCreatedByCaller DomainNotWhitelisted EFSMountFailure FailedResourceAccess
            LockoutPrevented LockoutPrevention LogDestinationPermission ObjectNotInActiveTierError OptedOut
            PolicyEnforced ResourceOwnerCheck S3FilesMountFailure SessionDurationEscalation TrimmedDataAccess
            WAFFeatureNotIncludedInPricingPlan WAFLogDestinationPermissionIssue
        """,
        m.NOT_FOUND: """
            404 410 Gone InvalidHostnameId NoAssociatedRole NotConfigured ReportNotPresent ReservedNodeExchangeNotFond
            UnknownMonitor UnknownSnapshotCopyRegion UnknownSubscription UnknownTopicOrPartition
        """,
        m.CONFLICT: """
            409 412 DependencyViolation ObjectNotInActiveTier QueueDeletedRecently TransactionCanceled
            XksProxyIncorrectAuthenticationCredential
        """,
        m.ABORTED: "ConditionalRequestConflict OperationAborted",
        m.RATE_LIMIT: """
            429 BandwidthLimitExceeded CodeArtifactRateExceeded OverLimit PriorRequestNotComplete SlowDown
        """,
        QUOTA: """
            402 InsufficientAvailableIPsInSubnet InsufficientFunds NoFreeAddressesInSubnet PaymentRequired
        """,
        m.TIMEOUT: "408 504 EFSMountConnectivity S3FilesMountConnectivity TimeLimitExceeded",
        m.UNAVAILABLE: """
            500 502 503 CancelledByMaintenance DatabaseConnection EC2Unexpected FederationSourceRetryable
            IDPCommunicationError ModelNotReady ModelStreamError NetworkFailure OpenIdIdpCommunicationError
            ResourcePropagationDelay RetryLatestCommitFailed TLDInMaintenance UnexpectedLambda
            XksProxyUriUnreachable
        """,
        m.ARGUMENT: """
            400 405 411 413 414 415 416 422 Argument BranchNameIsTagName DBSubnetGroupDoesNotCoverEnoughAZs
            DatabaseError DefaultUndefined ReplicationSubnetGroupDoesNotCoverEnoughAZs
            FileContentAndSourceFileSpecified LayerInaccessible LoopDetected MaximumResultReturned MessageRejected
            NameAvailability NoOperation NotAcceptable PublicPolicy QueryArgProfileEmpty RecursiveInvocation
            RejectedRecords ReservedName RestrictedSourceFile SqlParse UserError
        """,
        MOVED: "301 307 308 PermanentRedirect Redirect TemporaryRedirect",
        m.FAILED: "EFSIO FunctionError ModelError",
        m.UNIMPLEMENTED: "501 InvalidAction NoLongerSupported NotImplemented UnknownOperation",
        DRY_RUN: "DryRunOperation",
        UNCHANGED: "304 NotModified",
    },
    # Codes are in camel case, so `(?![a-z])` matches the end of a word.
    words=(
        (m.RATE_LIMIT, r"Throttl|TooMany(Requests|Concurrent|Updates)|ThroughputExceeded|Rate\w*Exceeded|RateLimit"),
        (m.RATE_LIMIT, r"Concurrent\w*Exceeded|RequestLimitExceeded|^Active\w*Exceeded|CallRateFor"),
        (m.ARGUMENT, r"^Invalid(?!\w*(State|Status|NotFound|InUse|Credentials|SecurityToken)(?![a-z]))[^.]*$"),
        (m.TIMEOUT, r"TimedOut|Timeout(?![a-z])"),
        (m.AUTHENTICATION, r"^Expired(Security)?Token|SecurityToken|InvalidCredentials|^NotAuthorized$"),
        (m.AUTHENTICATION, r"Unauthenticated|AuthenticationFailed|^(Authentication|Auth)$"),
        (KEY, r"AccessDenied|Denied$|Forbidden|Unauthori[sz]ed|NotAuthorized|NoAuthorization|MissingPermission"),
        (KEY, r"NotSubscribed|Insufficient\w*(Permission|Privilege|Policy|Access)"),
        (DENIED, r"NotPermitted|BlockedBy|Not(Organization)?(Management|Master)(Account|Or)"),
        (m.TOO_LARGE, r"TooLarge|TooLong|TooBig|(Size|Length)(Limit)?Exceeded|Oversized"),
        (m.ARGUMENT, r"(Token|Marker)NotFound|TooSmall"),
        (m.NOT_FOUND, r"NotFound|NoSuch|Do(es)?(Not|nt)Exist|Non[Ee]xist|NotExists?(?![a-z])"),
        (m.NOT_FOUND, r"^Unknown\w*(Id|Name|Resource)$"),
        (m.EXISTS, r"Already(?!InProgress)|Exists(?![a-z])|Duplicat"),
        (
            m.ABORTED,
            r"Concurrent|TransactionConflict|TransactionInProgress|ReplicatedWrite|(?<!Not)Retryable|Idempotency$",
        ),
        (m.CONFLICT, r"Conflict|InUse(?![a-z])|NotEmpty|InProgress|AlreadyInProgress|NonEmpty"),
        (m.CONFLICT, r"CheckFail|Precondition|OptimisticLock|Locked|Busy|Collision|NotReady|BeingDeleted|Stale"),
        (
            m.CONFLICT,
            r"(Incorrect|Invalid|Illegal|Unexpected)\w*(State|Status)(?![a-z])|(State|Status|Deleted|Disabled)$",
        ),
        (m.CONFLICT, r"(ETag|Version|Revision)Mismatch|Pending|Cannot|Unmodifiable|TerminationProtect|ReadOnly"),
        (m.CONFLICT, r"Not(Active|Approved|Attached|Confirmed|Connected|Enabled|Published|Running|Started|Verified)"),
        (
            m.CONFLICT,
            r"(Deleting|Outdated|OutOfSync|Referenced|Running|Stopping|Transitioning|Paused)$|Contains[A-Z]|ReferencedItem",
        ),
        (m.ARGUMENT, r"TooMany(Tags|Entries|Parameters|Filters)|EmptyBatch"),
        (m.UNAVAILABLE, r"CapacityExceeded|Insufficient\w*Capacity|OutOfCapacity|CapacityNotAvailable"),
        (QUOTA, r"Quota|Limits?(Exceed|Reached|Perm|$)|Exceed\w*Limit|(Max|Maximum|Number|Count|Storage)\w*Exceed"),
        (QUOTA, r"^TooMany|OverQuota|StorageFull|InsufficientStorage|CoverEnough|^Maximum|Exceeded$|^LicenseUsage$"),
        (m.UNAVAILABLE, r"Unavailable|Internal|^Server|Server$|ServiceFailure|Backend|BadGateway|Overload"),
        (m.UNAVAILABLE, r"FailedDependency|Dependency(Failed|Failure|$)|Connectivity|Contention"),
        (
            m.ARGUMENT,
            r"^Bad|Invalid|Malformed|Missing|Mismatch|Validation|Unsupported|NotSupported|Illegal|DoesNotMatch",
        ),
        (m.ARGUMENT, r"BadRequest|Required$|Unprocessable|Serialization|OutOfRange|Incompatible|NotAllowed|Expired"),
        (m.ARGUMENT, r"Violation|Parsing|Unrecognized|Unmatched|NotSatisfiable|OutOfBounds|^Incorrect|Inconsistent"),
        (
            m.ARGUMENT,
            r"^Multiple|Disallowed|^Empty|Not(Valid|Provided|Distinct|Compatible|InServiceRegion)|DoesNotSupport",
        ),
        (
            m.ARGUMENT,
            r"LowConfidence|Unknown$|Verification(Failed)?$|InsufficientCapabilities|Unresolvable|PolicyError",
        ),
        (
            m.CONFLICT,
            r"Associated|HasOngoing|Being[A-Z]|Restoring|Resuming|Executing|Finalizing|Deprecated|Archived|HasCMKs",
        ),
        (
            m.CONFLICT,
            r"^Same|AreSame|IsDifferent|^No(Change|Update|Available|Running|Published|Schedule|Data)|Unchanged",
        ),
        (
            m.CONFLICT,
            r"Modified|Changed|Committed|Moved|Frozen|Inactive|^Disabled|Registered|Enabled$|Offline|Retired|Ended$",
        ),
        (
            m.CONFLICT,
            r"Full$|Reuse|^Last[A-Z]|Irreversible|Partially|Migration|^Cancell?ed|Subscribed|Uninitialized|Lock",
        ),
        (m.CONFLICT, r"(?<=[a-z])(Not|Un)[A-Z]|^Not[A-Z]"),
        (m.FAILED, r"Fail(ed|ure)(?![a-z])|^UnableTo"),
    ),
    skipped={
        "the name of an operation, which says only that it failed: the status decides": """
            AddFlowOutputs420 BatchExecuteStatement BatchWrite CreateBridge420 CreateChimeWebhookConfiguration
            CreateCustomDBEngineVersion CreateFlow420 CreateGateway420 CreateSlackChannelConfiguration
            CreateTeamsChannelConfiguration DeleteAssociationSameAccount DeleteChimeWebhookConfiguration
            DeleteMicrosoftTeamsUserIdentity DeleteSlackChannelConfiguration DeleteSlackUserIdentity
            DeleteSlackWorkspaceAuthorization DeleteTeamsChannelConfiguration DeleteTeamsConfiguredTeam
            DescribeChimeWebhookConfigurations DescribeSlackChannelConfigurations DescribeSlackUserIdentities
            DescribeSlackWorkspaces EnableSoftwareTokenMFA ExecuteStatement GenerateResponse GetAccountPreferences
            GetTeamsChannelConfiguration GrantFlowEntitlements420 ListMicrosoftTeamsConfiguredTeams
            ListMicrosoftTeamsUserIdentities ListTeamsChannelConfigurations UpdateAccountPreferences
            UpdateChimeWebhookConfiguration UpdateSlackChannelConfiguration UpdateTeamsChannelConfiguration
        """,
        "the name of a service or a thing, which says only that something is wrong with it: the status decides": """
            ActiveDirectoryError AttachmentUpload Authorization Base BillExpiration CFNRegistry Client
            CloudHsmService CloudHsmTag ClusterOnLatestRevision Configuration ConnectorAuthentication
            CoreNetworkPolicy CustomCnameAssociation DataEncryption DeactivatingLastSystemUser DirectConnectClient
            DocumentService DryRun ElasticBeanstalkService ExternalResource ExternalService FederationSource
            GeneralService GlueEncryption GraphQLSchema IdentityCenterService InterconnectClient KMS KafkaRequest
            KeySigningKeyInParentDSRecord Kms ManagedRule MarketplaceCommerceAnalytics Metadata
            NoEntitlementsAllowed OAuthProvider Organizations PlatformTaskDefinitionIncompatibility PolicyEvaluation
            PrivateType PublicZoneVPCAssociation QueryExecution RequestError RestApiClient RuntimeClientError S3
            Search SecretsError Service ServiceAccount SessionStreaming SnapStart Tag TagOperation TagPolicy
            TerminalRoutingStrategy UserPoolTagging WAFConfigurationWarning WAFServiceLinkedRoleError
            WAFTagOperation
        """,
    },
)


def plain(code: object) -> str:
    """A code without the parts that services add around it: `AWS.SimpleQueueService.NonExistentQueue` is `NonExistentQueue`.

    Args:
        code: the error code of a response; in event streams it begins in lower case.
    """
    text = str(code or "")[:200].rpartition("#")[2]
    if text.startswith("AWS."):
        text = text.rpartition(".")[2]
    text = text[:1].upper() + text[1:]
    for ending in ("Exception", "Fault"):
        text = text.removesuffix(ending) or text
    return text


def meaning_of(code: str, status: int | None = None) -> m.Meaning | None:
    """The meaning of a plain code, or None if it is unknown.

    Args:
        code: a result of `plain`.
        status: the HTTP status of the response; it decides if a word has two meanings.
    """
    meaning = codes.meaning_of(code)
    if meaning is None or status is None:
        return meaning
    if meaning.cls is m.FAILED.cls and 400 <= status < 500 and meaning.effect is None and code not in codes.listed:
        return None  # the status states why the request was rejected
    if status == 401 and meaning.cls in (m.PERMISSION.cls, m.ARGUMENT.cls):
        return m.AUTHENTICATION
    if status == 403 and meaning is m.AUTHENTICATION and code not in codes.listed:
        return m.PERMISSION
    return m.RATE_LIMIT if status == 429 and meaning is QUOTA else meaning

"""What servers of tools write into a result that they mark as an error, in the words of the most used ones."""

import pytest

from mulligan import Pipeline, Tool, errors

TEXTS = {
    errors.ResourceNotFoundError: [
        ("get_issue", "failed to get issue: GET https://api.github.com/repos/o/r/issues/999: 404 Not Found []"),
        ("read_file", "Error: ENOENT: no such file or directory, open '/x'"),
        ("browser_click", "Error: Ref e99 not found in the current page snapshot. Try capturing new snapshot."),
        (
            "browser_click",
            "### Result\nError: Ref e99 not found in the current page snapshot. Try capturing new snapshot.",
        ),
        ("query", 'relation "userz" does not exist'),
        ("read_query", "Database error: no such table: users"),
        ("fetch", "Failed to fetch https://example.com/x - status code 404"),
        ("maps_geocode", "Geocoding failed: ZERO_RESULTS"),
        ("get_issue", "Error: Entity not found: Issue - Could not find referenced Issue."),
        ("jira_get_issue", "Error calling tool 'get_issue': Issue Does Not Exist"),
        ("pods_get", 'pods "web-1" not found'),
        ("container_logs", "Error: No such container: foo"),
        ("add_observations", "Error: Entity with name Bob not found"),
        (
            "notion_page",
            '{"status":404,"object":"error","code":"object_not_found","message":"Could not find page with ID: 12."}',
        ),
        (
            "execute_sql",
            '{"error":{"name":"HttpException","message":"Failed to run sql query: ERROR:  42P01: relation \\"x\\" does not exist\\nLINE 1: select * from x\\n"}}',
        ),
        ("run_command", "bash: foo: command not found"),
        ("stripe_create", "Error: Failed to create customer: No such customer: 'cus_x'"),
        (
            "es_search",
            'Error: {"error":{"root_cause":[{"type":"index_not_found_exception","reason":"no such index [logs]"}],"type":"index_not_found_exception","reason":"no such index [logs]"},"status":404}',
        ),
        (
            "get_pull_request",
            "failed to get pull request: GET https://api.github.com/repos/o/r/pulls/7: 404 Not Found []",
        ),
        ("kubectl_get", 'Error from server (NotFound): deployments.apps "api" not found'),
        (
            "npm_install",
            "npm ERR! code E404\nnpm ERR! 404 Not Found - GET https://registry.npmjs.org/nopee - Not found",
        ),
        ("send_message", "Error: Bad Request: chat not found"),
        ("chat", "Error: Model gpt-9 not found"),
        ("get_weather", "Error: city not found"),
        ("get_stock", "Error: No data found, symbol may be delisted"),
        ("get_user", "Error: User with id 42 does not exist"),
        ("vector_search", "Error: Collection `docs` doesn't exist!"),
    ],
    errors.ToolPermissionError: [
        (
            "create_issue",
            "failed to create issue: POST https://api.github.com/repos/o/r/issues: 403 Resource not accessible by personal access token []",
        ),
        ("read_file", "Error: Access denied - path outside allowed directories: /etc/passwd not in /work"),
        (
            "pods_delete",
            'pods "web-1" is forbidden: User "dev" cannot delete resource "pods" in API group "" in the namespace "prod"',
        ),
        ("s3_get", "An error occurred (AccessDenied) when calling the GetObject operation: Access Denied"),
        ("write_file", "Error: EROFS: read-only file system, open '/etc/x'"),
        ("kubectl_apply", 'Error from server (Forbidden): error when creating "x.yaml": pods is forbidden'),
        ("send_message", "Error: Forbidden: bot was blocked by the user"),
    ],
    errors.ResourceConflictError: [
        (
            "create_branch",
            "failed to create branch: POST https://api.github.com/repos/o/r/git/refs: 422 Reference already exists []",
        ),
        ("move_file", "Error: EEXIST: file already exists, rename 'a' -> 'b'"),
        ("query", 'duplicate key value violates unique constraint "users_email_key"'),
        (
            "docker_run",
            'Error response from daemon: Conflict. The container name "/web" is already in use by container "abc".',
        ),
        (
            "git_push",
            "error: failed to push some refs to 'origin'\nhint: Updates were rejected because the remote contains work that you do not have locally.",
        ),
        ("create_event", "Failed to create event: The requested identifier already exists."),
        ("book_room", "Error: Room 4 is already booked for that time"),
    ],
    errors.ToolConnectionError: [
        ("browser_navigate", "Error: page.goto: net::ERR_NAME_NOT_RESOLVED at http://nope.example"),
        ("fetch", "Failed to fetch robots.txt https://example.com/robots.txt due to a connection issue"),
        ("redis_get", "Error: Redis connection failed: ECONNREFUSED 127.0.0.1:6379"),
        ("browser_navigate", "Error: page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/"),
        ("fetch", "Error fetching URL: certificate has expired"),
        (
            "kubectl_get",
            "The connection to the server localhost:8080 was refused - did you specify the right host or port?",
        ),
        ("sync", "Error: socket hang up"),
        ("sync", "Error: read ECONNRESET"),
    ],
    errors.ToolTimeoutError: [
        ("puppeteer_click", "Failed to click #x: waiting for selector failed: timeout 30000ms exceeded"),
        ("run_command", "Command timed out after 30 seconds"),
        ("query", "canceling statement due to statement timeout"),
        ("fetch", "Error: Request to https://x.example/ timed out after 10s"),
    ],
    errors.ToolArgumentError: [
        ("read_query", "Error: Only SELECT queries are allowed for read_query"),
        (
            "get_current_time",
            "Error processing mcp-server-time query: Invalid timezone: 'No time zone found with key Foo/Bar'",
        ),
        ("search_files", "Error: Invalid regular expression: /[/: Unterminated character class"),
        ("mongo_find", "Error: MongoServerError: unknown operator: $foo"),
        ("zapier", 'Error: The app returned "Bad Request". The field "email" is required.'),
        ("list_directory", "Error: ENOTDIR: not a directory, scandir '/a.md'"),
        ("query", 'syntax error at or near "SELEC"'),
        ("fetch", "Error: Unsupported content type: application/zip"),
        ("create_event", "Error creating event: Invalid start time: expected ISO 8601"),
        ("upload_file", "Error: File size exceeds the maximum allowed (10 MB)"),
        (
            "chat",
            "Error: This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        ),
        ("calculate", "Error: unexpected token ')' at position 4"),
        ("convert_currency", "Error: Unknown currency code: XYZ"),
        ("translate_text", "Error: target language 'xx' is not supported"),
        ("vector_search", "Error: Vector dimension error: expected dim: 1536, got 768"),
    ],
    errors.ToolRateLimitError: [
        ("brave_web_search", 'Error: Brave API error: 429 Too Many Requests\n{"type":"ErrorResponse"}'),
        ("brave_web_search", "Error: Rate limit exceeded"),
        ("resolve_library", "Error: Rate limited due to too many requests. Please try again later."),
        (
            "search_code",
            "failed to search code: 403 API rate limit of 10 still exceeded until 2026-11-27 10:00:00, not making remote request. [rate reset in 23s]",
        ),
        ("send_message", "Error: Too Many Requests: retry after 35"),
    ],
    errors.ToolAuthenticationError: [
        ("maps_geocode", "Geocoding failed: REQUEST_DENIED: The provided API key is invalid."),
        ("slack_post_message", '{"ok":false,"error":"invalid_auth"}'),
        ("firecrawl_scrape", "Error: Unauthorized: Invalid token"),
        ("tavily_search", "Error: Tavily API error: Invalid API key"),
        ("list_pages", "Error: notion API returned 401 unauthorized: API token is invalid."),
        ("query", 'Error: password authentication failed for user "app"'),
        ("git_clone", "fatal: Authentication failed for 'https://github.com/o/r.git/'"),
        ("create_event", "Error: invalid_grant: Token has been expired or revoked."),
        (
            "get_weather",
            "Error getting weather: 401 Client Error: Unauthorized for url: https://api.openweathermap.org/x",
        ),
        ("ssh_exec", "Error: All configured authentication methods failed"),
    ],
    errors.ToolQuotaError: [
        ("firecrawl_scrape", "Error: Payment Required: Insufficient credits. Please upgrade your plan"),
        ("transcribe", "Error: You exceeded your current quota, please check your plan and billing details."),
    ],
    errors.ToolUnavailableError: [
        ("hf_search", "Error: 503 Service Temporarily Unavailable"),
        ("fetch", "HTTP error 503: Service Unavailable"),
        ("chat", "Error: The engine is currently overloaded, please try again later"),
    ],
    errors.ToolExecutionError: [
        ("sync", "TypeError: Cannot read properties of undefined (reading 'id')"),
    ],
}


@pytest.mark.parametrize(
    ("error", "name", "text"), [(error, *one) for error, listed in TEXTS.items() for one in listed]
)
def test_a_marked_text_is_understood(error, name, text):
    def run() -> object:
        """Do it."""
        return {"content": [{"type": "text", "text": text}], "isError": True}

    with Pipeline([Tool.from_function(run, name=name)], autoload=False) as pipeline:
        assert type(pipeline.call(name).error) is error


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"ok": false, "error": "no_such_room"}', "no_such_room"),
        ('{"status": 404, "message": "no room 9"}', "no room 9"),
        ('Booking failed: {"message": "no room 9"}', 'Booking failed: {"message": "no room 9"}'),
    ],
)
def test_of_a_body_alone_the_model_reads_the_message(text, shown):
    def book_room() -> object:
        """Book a room."""
        return {"content": [{"type": "text", "text": text}], "isError": True}

    with Pipeline([Tool.from_function(book_room)], autoload=False) as pipeline:
        assert f"\n{shown}\n" in pipeline.call("book_room").content


def test_the_code_of_a_mail_server_is_no_http_status():
    def send_mail() -> str:
        """Send a mail."""
        return "Error: 550 5.1.1 <a@b.example>: Recipient address rejected: User unknown"

    with Pipeline([Tool.from_function(send_mail)], autoload=False) as pipeline:
        result = pipeline.call("send_mail")
    assert result.error is not None
    assert result.error.http_status is None
    assert not result.error.transient

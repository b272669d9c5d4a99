"""`tools/published_codes.py` reads each list from the files of its source, and says what is wrong with a file."""

from __future__ import annotations

import gzip
import json

import published_codes
import pytest

SLACK = {
    "paths": {
        "/tea.pour": {
            "post": {
                "responses": {
                    "default": {
                        "examples": [{"ok": False, "error": "cup_is_full"}, {"ok": False, "error": "No tea"}],
                        "schema": {"properties": {"error": {"enum": ["no_water", "cup_is_full"]}}},
                    },
                    "200": {"examples": [{"ok": True, "error": "not_an_error"}]},
                }
            }
        }
    }
}
ONE_FILE = {
    "azure": (
        (
            'VENDOR = b"org.tea"\n'
            'ERROR_CODE_COLD = VENDOR + b":cold"\n'
            'OTHER = VENDOR + b":other"\n'
            "class TeaErrorCode(str):\n"
            '    TOO_HOT = "TooHot"\n'
            "    def brew(self): ...\n"
            "class SubStatusCodes:\n"
            "    NO_WATER = 1003\n"
            "class ErrorCondition(bytes):\n"
            '    Stolen = b"tea:stolen"\n'
            'class Method:\n    POUR = "POUR"\n'
        ),
        [
            "1003\tNO_WATER\tSubStatusCodes",
            "TooHot\tTOO_HOT\tTeaErrorCode",
            "org.tea:cold\tERROR_CODE_COLD",
            "tea:stolen\tStolen\tErrorCondition",
        ],
    ),
    "discord": (
        (
            "export declare enum RESTJSONErrorCodes {\n    NoTea = 10001,\n    /**\n     * Cold = 5\n     */\n    Cold = 10002\n}\n"
            "export declare enum Locale {\n    Tea = 1\n}\nexport declare enum GatewayCloseCodes {\n    NoTea = 4000\n}\n"
        ),
        ["10001\tNoTea\tRESTJSONErrorCodes", "10002\tCold\tRESTJSONErrorCodes", "4000\tNoTea\tGatewayCloseCodes"],
    ),
    "google": (
        (
            "enum Code {\n  // HTTP Mapping: 418 I'm a teapot\n  TEAPOT = 1;\n\n  COLD = 2;\n}\n"
            "enum TeaReason {\n  TEA_REASON_UNSPECIFIED = 0;\n\n  // A cup.\n  NO_CUP = 1;\n}\n"
        ),
        ["COLD\t\tCode", "NO_CUP\t\tTeaReason", "TEAPOT\t418\tCode"],
    ),
    "grpc": (
        "  GRPC_STATUS_OK = 0,\n  /** Cold. */\n  GRPC_STATUS_TOO_COLD = 5,\n  GRPC_STATUS__DO_NOT_USE = 0x7fffffffu,\n",
        ["OK\t0", "TOO_COLD\t5"],
    ),
    "kubernetes": (
        (
            '\t// It is unknown.\n\t// Status code 500.\n\tStatusReasonUnknown StatusReason = ""\n\n'
            '\t// It is cold.\n\t//\n\t// Status code 418\n\tStatusReasonCold StatusReason = "Cold"\n'
            '\tStatusReasonOther StatusReason = "Other"\n'
        ),
        ["Cold\t418", "Other"],
    ),
    "mariadb": (
        (
            "#define ER_ERROR_FIRST 1000\n#define ER_NO_TEA 1000\n#define ER_UNUSED_1 1001\n#define WARN_COLD 1002\n"
            "#define ER_ERROR_LAST_SECTION_2 1002\n#define CR_MIN_ERROR 2000\n#define CR_NO_CUP\t2001 /* none */\n"
            '#define ER_TEXT "none"\n{ ER_NO_TEA  ,"42T01", "" },\n'
        ),
        ["1000\tER_NO_TEA\t42T01", "1002\tWARN_COLD\tHY000", "2001\tCR_NO_CUP"],
    ),
    "mongodb": (
        (
            "error_codes:\n  - {code: 1, name: NoTea} # - {code: 9,name: Gone}\n"
            "  - {\n      code: 2,\n      name: Cold,\n      extra: Cup,\n      categories: [RetryError, TeaError],\n    }\n"
        ),
        ["1\tNoTea", "2\tCold\tRetryError,TeaError"],
    ),
    "mysql": (
        (
            "ERROR_NUMBER\tERROR_NAME\tSQL_STATE\n1000\tER_NO_TEA\t42T01\n10000\tER_LOGGED\tHY000\n"
            "#define CR_ERROR_LAST 2001\n#define CR_NO_CUP 2001\n"
        ),
        ["1000\tER_NO_TEA\t42T01", "2001\tCR_NO_CUP"],
    ),
    "slack": (json.dumps(SLACK), ["cup_is_full", "no_water"]),
    "slack-ruby": (
        "class NoTea < SlackError; end\nERRORS = {\n  'no_tea' => NoTea,\n  'cold' => Cold\n}\n",
        ["cold", "no_tea"],
    ),
    "sqlstate": (
        (
            "# A comment\n\nSection: Class 42 - Tea\n\n42T01    E    ERRCODE_NO_TEA    no_tea\n42T02    E    ERRCODE_COLD\n"
            "42T01    E    ERRCODE_OLD_NAME\n"
        ),
        ["42T01\tno_tea", "42T02"],
    ),
    "square": (
        'ErrorCode = typing.Union[\n    typing.Literal[\n        "NO_TEA",\n        "COLD",\n    ],\n    typing.Any,\n]\n',
        ["COLD", "NO_TEA"],
    ),
    "stripe": (
        (
            'const (\n\tErrorTypeTea   ErrorType = "tea_error"\n\tErrorCodeCold ErrorCode = "cold"\n'
            '\tDeclineCodeCold DeclineCode = "cold"\n\tOther Tea = "tea"\n)\n'
        ),
        ["cold\t\tDeclineCode", "cold\t\tErrorCode", "tea_error\t\tErrorType"],
    ),
}


@pytest.fixture
def downloaded(tmp_path):
    """Writes a file and returns its path."""

    def write(text, name="downloaded.txt"):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return write


def printed(capsys, *arguments):
    published_codes.main([str(argument) for argument in arguments])
    return capsys.readouterr().out.splitlines()


def refusal(*arguments):
    with pytest.raises(SystemExit) as raised:
        published_codes.main([str(argument) for argument in arguments])
    assert isinstance(raised.value.code, str)
    return raised.value.code


@pytest.fixture
def models(tmp_path):
    """A folder as botocore/data, with three services."""

    def write(service, protocol, shapes, suffix=""):
        path = tmp_path / "data" / service / "2026-01-01" / f"service-2.json{suffix}"
        path.parent.mkdir(parents=True)
        text = json.dumps({"metadata": {"protocol": protocol}, "shapes": shapes}).encode()
        path.write_bytes(gzip.compress(text) if suffix else text)

    cold = {"code": "Tea.Cold", "httpStatusCode": 400, "senderFault": True}
    write("kettle", "query", {"ColdFault": {"exception": True, "error": cold}, "Cup": {"type": "structure"}})
    broken = {"exception": True, "error": {"httpStatusCode": 500}, "fault": True}
    write("pot", "rest-json", {"Broken": broken, "ColdFault": {"exception": True, "error": cold}}, ".gz")
    write(
        "stove", "json", {"Broken": {"exception": True, "error": {"httpStatusCode": 503}}, "Off": {"exception": True}}
    )
    return tmp_path / "data"


def test_every_reader_is_tested():
    assert {*ONE_FILE, "botocore"} == set(published_codes.READERS)


@pytest.mark.parametrize("name", ONE_FILE)
def test_a_reader_takes_codes_names_and_statuses_only(name, downloaded):
    text, lines = ONE_FILE[name]
    assert published_codes.published_lines(name, [downloaded(text)]) == lines


def test_aws_services_are_merged(models):
    assert published_codes.published_lines("botocore", [models]) == [
        "Broken\t500,503\tserver",
        "ColdFault\t400\tsender",
        "Off",
        "Tea.Cold\t400\tsender",
    ]


def test_mongodb_codes_are_read_from_the_npm_package_too(downloaded):
    text = (
        "exports.MongoError = {\n    OK: {\n        code: 0,\n        categories: []\n    },\n"
        "    NoTea: {\n        code: 7,\n        categories: ['TeaError', 'Other']\n    },\n"
    )
    assert published_codes.published_lines("mongodb", [downloaded(text)]) == ["7\tNoTea\tTeaError,Other"]


def test_stripe_codes_are_read_from_the_npm_package_too(downloaded):
    types = downloaded(
        "namespace LastPaymentError {\n    type Code = 'cold' | 'no_tea' | OtherString;\n"
        "    type Type = 'tea_error' | OtherString;\n}\nnamespace Cup {\n    type Code = 'full';\n}\n",
        "PaymentIntents.d.ts",
    )
    classes = downloaded("case 'leaf':\n    return new LeafError(raw);\ncase 'water':\n    pour();\n", "Error.js")
    assert published_codes.published_lines("stripe", [types, classes]) == [
        "cold\t\tErrorCode",
        "leaf\t\tErrorType",
        "no_tea\t\tErrorCode",
        "tea_error\t\tErrorType",
    ]


def test_a_byte_order_mark_is_no_part_of_the_text(downloaded):
    path = downloaded("\ufeffclass TeaErrorCode:\n    COLD = 'Cold'\n")
    assert published_codes.published_lines("azure", [path]) == ["Cold\tCOLD\tTeaErrorCode"]


def test_a_list_begins_with_its_source(downloaded, capsys):
    path = downloaded("  GRPC_STATUS_COLD = 5,\n  GRPC_STATUS_COLD = 5,\n")
    about = ("--source", "Tea status.h", "--version", "1.2", "--date", "2026-11-23")
    header = ["# source: Tea status.h", "# version: 1.2", "# date: 2026-11-23"]
    assert printed(capsys, "grpc", path, *about) == [*header, "COLD\t5"]
    assert printed(capsys, "grpc", path)[:3] == ["# source: unknown", "# version: unknown", "# date: unknown"]


def test_lines_of_another_list_are_left_out(downloaded, capsys):
    other = downloaded("# source: Tea\n1000\tER_NO_TEA\tHY000\n", "mysql.txt")
    path = downloaded("#define ER_NO_TEA 1000\n#define ER_COLD 1001\n")
    assert printed(capsys, "mariadb", path, "--except", other)[3:] == ["1001\tER_COLD\tHY000"]


@pytest.mark.parametrize("name", [name for name in ONE_FILE if name != "slack"])
def test_a_file_without_codes_is_refused(name, downloaded):
    path = downloaded("# nothing\n")
    expected = published_codes.READERS[name].__doc__
    assert refusal(name, path) == f"published_codes.py: no codes found in {path}; expected: {expected}"


def test_json_without_codes_is_refused(downloaded):
    assert "no codes found in" in refusal("slack", downloaded("{}"))


def test_a_folder_without_models_is_refused(tmp_path):
    assert refusal("botocore", tmp_path).startswith(f"published_codes.py: no codes found in {tmp_path}; expected: ")


def test_a_file_that_does_not_exist_is_named(tmp_path):
    path = tmp_path / "none.txt"
    assert refusal("grpc", path) == f"published_codes.py: {path} does not exist."


def test_another_list_that_does_not_exist_is_named(downloaded, tmp_path):
    path = downloaded("  GRPC_STATUS_COLD = 5,\n")
    assert str(tmp_path / "none.txt") in refusal("grpc", path, "--except", tmp_path / "none.txt")


def test_a_folder_is_not_a_file(downloaded, tmp_path):
    assert refusal("grpc", tmp_path).startswith(f"published_codes.py: {tmp_path} is a folder; expected: gRPC's")
    path = downloaded("{}")
    assert refusal("botocore", path) == f"published_codes.py: {path} is a file; expected: The folder botocore/data."


def test_malformed_json_is_refused_with_its_line(downloaded):
    path = downloaded('{\n"error": ')
    assert refusal("slack", path) == f"published_codes.py: {path} is not JSON: line 2."


def test_json_with_another_structure_is_refused(downloaded, tmp_path):
    (tmp_path / "data" / "tea" / "1").mkdir(parents=True)
    downloaded("[]", "data/tea/1/service-2.json")
    said = refusal("botocore", tmp_path / "data")
    assert said == f"published_codes.py: {tmp_path / 'data'} has another structure; expected: The folder botocore/data."


def test_malformed_python_is_refused_with_its_line(downloaded):
    path = downloaded("A = 1\nclass\n")
    assert refusal("azure", path) == f"published_codes.py: {path} is not Python: line 2."


def test_a_malformed_line_is_named(downloaded):
    path = downloaded("42T01    E    ERRCODE_NO_TEA    no_tea\n42T02 tea\n")
    assert refusal("sqlstate", path).startswith(f"published_codes.py: line 2 of {path} is not a SQLSTATE")


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "status.h"
    path.write_bytes(b"\xff\xfe\xff")
    assert refusal("grpc", path) == f"published_codes.py: {path} is not text in UTF-8."


def test_a_sentence_is_no_code(downloaded):
    path = downloaded("class TeaErrorCode:\n    COLD = 'The tea is cold'\n")
    assert "'The tea is cold' is not a code" in refusal("azure", path)


def test_an_unknown_list_is_refused_with_the_lists(downloaded, capsys):
    with pytest.raises(SystemExit):
        published_codes.main(["tea", str(downloaded(""))])
    assert "'tea'" in (error := capsys.readouterr().err)
    assert "sqlstate" in error


def test_the_help_says_which_file_each_list_is_read_from(capsys):
    with pytest.raises(SystemExit):
        published_codes.main(["--help"])
    text = capsys.readouterr().out
    assert "sqlstate    PostgreSQL's errcodes.txt." in text
    assert all(reader.__doc__ in text for reader in published_codes.READERS.values())

"""What is allowed to break a rule of the house, and why. An entry that no longer applies fails the check."""

# Path -> reason. Source files longer than FILE_LINES_MAX.
LONG_FILES = {}

# Path -> reason. Headers longer than HEADER_LINES_MAX.
LONG_HEADERS = {}

# Path -> reason. Source files of common, broker and server that no unit test of their room is about.
UNMIRRORED = {
    "broker/app/broker_command.cc": "tests/integration runs the binary: options, signals, exit codes",
    "broker/app/broker_process.cc": "tests/integration runs the binary: doors, drain, servers that come and go",
    "broker/app/main.cc": "one line",
    "common/format/raw_chunk.cc": "common/column's raw readers, which decode nothing else, test it on written chunks",
    "common/format/raw_v4.cc": "common/column's raw readers, which decode nothing else, test it on written chunks",
    "server/app/server_command.cc": "tests/integration runs the binary: options, signals, exit codes",
    "server/service/leaf_server.cc": "joins the two services, which leaf_stream_test and inventory_service_test run",
}

# Room, or one file, -> reason. Who may include nlohmann/json: never code that runs once a row.
JSON = {
    "common/table_config": "Pinot's schema and table files are JSON",
    "common/config": "the configuration file is JSON",
    "common/http": "error bodies of the doors",
    "common/eval": "the JSON functions of SQL take and give JSON text",
    "common/column/json_value.cc": "nested values of a MAP frame are JSON text",
    "common/wire": "the legacy segment list is a JSON property",
    "broker/catalog": "schemas and table configurations arrive as JSON text",
    "broker/cluster": "schemas and table configurations arrive as JSON text",
    "broker/front": "the HTTP door's request body and its small answers",
    "broker/app": "configuration file",
    "server/store": "reads schema.json and tableConfig.json of a data directory",
    "server/service": "the admin door answers in JSON",
    "server/app": "configuration file and the admin door",
    "cli": "prints and reads JSON for people",
}

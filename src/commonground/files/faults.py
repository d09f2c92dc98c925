"""The faults that any file can have, whatever corpus it belongs to."""

from __future__ import annotations

from commonground.findings import Rule

UNREADABLE = Rule(
    code="CG-SOURCE-001",
    severity="error",
    title="The file cannot be read.",
    why="Nothing of it is in the store; all other files are.",
    advice="Check the permissions and the disk, then import again.",
)
UNSAFE_ENTRY = Rule(
    code="CG-SOURCE-002",
    severity="error",
    title="An archive entry points outside the archive.",
    why="Unpacking it could overwrite other files, so it is not read.",
    advice="Get the archive from its authors again; do not unpack this one.",
)
ARCHIVE_BOMB = Rule(
    code="CG-SOURCE-003",
    severity="error",
    title="An archive, or an entry of one, would unpack to a suspicious size.",
    why="Reading it could fill memory or disk, so it is not read.",
    advice="If you trust it, unpack it yourself and import the folder.",
)
DAMAGED_ARCHIVE = Rule(
    code="CG-SOURCE-004",
    severity="error",
    title="The archive is damaged or encrypted.",
    why="Nothing of the entry is in the store.",
    advice="Download the archive again.",
)
PACKED = Rule(
    code="CG-SOURCE-005",
    severity="error",
    title="The file is compressed.",
    why="Only zip archives are read directly, if their names end in `.zip`. Nothing of the file "
    "is in the store.",
    advice="Unpack it with the command that the message gives, and import again.",
)
NOT_JSON = Rule(
    code="CG-JSON-001",
    severity="error",
    title="The text is not valid JSON here.",
    why="The record at this place is in no table, or in the native table only; "
    "those before and after it are read. The message has the bytes that are left "
    "out, the first of the file being "
    "0. If no bytes are given, the whole file is left out.",
    advice="Compare the size of the file with the released one, and fetch it "
    "again. Or correct the place: control characters in texts are escaped, `NaN` "
    "and `None` are `null`.",
)
MISSING_FIELD = Rule(
    code="CG-JSON-002",
    severity="error",
    title="A required field is missing.",
    why="The record cannot be converted; it is kept in the native table only.",
    advice="Compare the record with the JSON Schema of its format.",
)
WRONG_TYPE = Rule(
    code="CG-JSON-003",
    severity="error",
    title="A value does not have the declared type.",
    why="The record cannot be converted; it is kept in the native table only.",
    advice="Compare the record with the JSON Schema of its format.",
)
UNKNOWN_FIELD = Rule(
    code="CG-JSON-004",
    severity="warning",
    title="A field is not part of the format.",
    why="It is kept in the native table, and written back, but in no other table.",
    advice="Do nothing if you added it; else the file may be from another version.",
)
BYTE_ORDER_MARK = Rule(
    code="CG-JSON-005",
    severity="warning",
    title="The file starts with a byte order mark.",
    why="The mark is skipped; other readers may stop at it.",
    advice="Save the file as UTF-8 without a byte order mark.",
)
NOT_UTF8 = Rule(
    code="CG-JSON-006",
    severity="error",
    title="The text is not UTF-8.",
    why="The texts cannot be trusted, so the record is not converted; it is in the native table "
    "only, with backslash escapes for the bytes that are not UTF-8.",
    advice="Find out which encoding the file has and save it as UTF-8.",
)
REPEATED_KEY = Rule(
    code="CG-JSON-007",
    severity="error",
    title="An object has a key twice.",
    why="Tables have only the last value, as most JSON readers do; the "
    "native table has them all. Records under one id are all read.",
    advice="Find out which value is right, and remove the other.",
)
JSON_LINES = Rule(
    code="CG-JSON-008",
    severity="error",
    title="The file holds JSON Lines instead of the released form.",
    why="A released file of this name is one JSON text. Nothing of the file is in the store.",
    advice="Convert the lines to the released form with the command that the message gives, and "
    "import again. Records that come without their split are then in the split `unsplit`.",
)
ODD_LINE = Rule(
    code="CG-TEXT-001",
    severity="warning",
    title="A line does not have the form that its file requires.",
    why="It is kept in the native table, and written back, but not converted.",
    advice="Compare it with the lines around it.",
)
ODD_ROW = Rule(
    code="CG-TABLE-001",
    severity="error",
    title="A row of the table cannot be read.",
    why="It is in the native table only; all other rows are read.",
    advice="Compare it with the rows around it: a comma too many, or a quote that is not closed.",
)
MISSING_COLUMN = Rule(
    code="CG-TABLE-002",
    severity="error",
    title="The table lacks a column.",
    why="Without it rows cannot be made into dialogues, so nothing of the file is in the store.",
    advice="Name the column, such as `--column text=message`.",
)
DUPLICATE_ID = Rule(
    code="CG-DATA-001",
    severity="error",
    title="Two dialogues have the same id.",
    why="The later one is kept under its id with `~2` added, so that joins stay right.",
    advice="Check whether a file was given twice, or which of the two is right.",
)
NOT_CONVERTED = Rule(
    code="CG-DATA-002",
    severity="error",
    title="The record is typed as declared, but contradicts itself and cannot be converted.",
    why="It is kept in the native table only.",
    advice="Look at the place named; a number or name there refers to something "
    "that does not exist.",
)
EMPTY_FILE = Rule(
    code="CG-DATA-003",
    severity="warning",
    title="The file contains no records.",
    why="It adds nothing to the store.",
    advice="Check whether the file was written completely.",
)
ORPHAN = Rule(
    code="CG-DATA-004",
    severity="note",
    title="A side file names a dialogue that is in none of the given files.",
    why="What the side file says about it is kept; its utterances are missing.",
    advice="Give the dialogue's own file too, if you have it.",
)

CONVERTER_FAILED = Rule(
    code="CG-DATA-005",
    severity="error",
    title="commonground failed on this record.",
    why="This is a bug of ours. The record is kept in the native table only.",
    advice="Please report it with the record, or as much of it as you may share.",
)

DEADLY = Rule(
    code="CG-DATA-006",
    severity="error",
    title="The process that read this file died twice.",
    why="Nothing of the file, or of that part of it, was imported; all other files were.",
    advice="Most often memory ran out: use a larger machine, or split the file. Or report it.",
)
BAD_SPLIT = Rule(
    code="CG-SPLIT-001",
    severity="error",
    title="An entry of the split list is not an id and the name of a split.",
    why="The entry applies to no dialogue; all other entries count.",
    advice="Write an id and a name in each entry. A name is any text but `all`.",
)
TWO_SPLITS = Rule(
    code="CG-SPLIT-002",
    severity="error",
    title="The split list assigns an id to two splits.",
    why="The dialogue is in the split that is named first: in both, training data "
    "would be test data.",
    advice="Remove one of the entries.",
)

GENERIC_RULES: tuple[Rule, ...] = tuple(
    value for value in list(globals().values()) if isinstance(value, Rule)
)

"""Decides whether an answer of Trellis equals the recorded answer of Pinot.

Three outcomes: EQUAL; GAP, where Trellis says openly that it cannot (an error where Pinot has rows, or another
error code); WRONG, where it answers something else without saying so.
"""
import json
import math
import re

EQUAL, GAP, WRONG = "equal", "gap", "wrong"
FLOAT_TOLERANCE = 1e-8  # relative
FLOATING = ("FLOAT", "DOUBLE")
LIMIT = re.compile(r"\bLIMIT\s+\d+(\s*,\s*\d+)?(\s+OFFSET\s+\d+)?\s*$", re.IGNORECASE)
ORDER_BY = re.compile(r"\bORDER\s+BY\s+(.*?)(\bLIMIT\b.*)?$", re.IGNORECASE | re.DOTALL)
ROWS_ALL = 1000000


def same_value(mine, theirs):
    """Tells whether two parsed JSON values are equal; numbers within the tolerance."""
    if isinstance(mine, bool) or isinstance(theirs, bool):
        return mine is theirs
    if isinstance(mine, (int, float)) and isinstance(theirs, (int, float)):
        if isinstance(mine, int) and isinstance(theirs, int):
            return mine == theirs
        return mine == theirs or math.isclose(mine, theirs, rel_tol=FLOAT_TOLERANCE, abs_tol=0)
    if isinstance(mine, list) and isinstance(theirs, list):
        return len(mine) == len(theirs) and all(map(same_value, mine, theirs))
    if isinstance(mine, dict) and isinstance(theirs, dict):
        return mine.keys() == theirs.keys() and all(same_value(mine[key], theirs[key]) for key in mine)
    return type(mine) is type(theirs) and mine == theirs


def same_cell(mine, theirs, column_type):
    """Like same_value, but an integer column holds no fraction and a MAP may come as its JSON text."""
    if column_type == "MAP":
        mine, theirs = (json.loads(cell) if isinstance(cell, str) else cell for cell in (mine, theirs))
    elif column_type in ("INT", "LONG") and isinstance(mine, float):
        return False
    return same_value(mine, theirs)


def same_row(mine, theirs, types):
    return len(mine) == len(theirs) == len(types) and all(map(same_cell, mine, theirs, types))


def row_key(row):
    """Sorts equal rows together: floating values are cut to fewer digits than the tolerance keeps."""
    def text(value):
        if isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool)):
            return f"{value:.6e}"
        if isinstance(value, dict):
            return "{" + ",".join(f"{key}:{text(value[key])}" for key in sorted(value)) + "}"
        return "[" + ",".join(map(text, value)) + "]" if isinstance(value, list) else repr(value)
    return text(row)


def without(rows, taken, types):
    """Returns `rows` as a multiset less `taken`, or None when one of those is not there."""
    rest = {}
    for row in rows:
        rest.setdefault(row_key(row), []).append(row)
    others = None
    for row in taken:
        group = rest.get(row_key(row), [])
        index = next((i for i, mine in enumerate(group) if same_row(mine, row, types)), None)
        if index is None:  # the cut fell between two equal values, or the row is missing: look at all
            others = [(group, i) for group in rest.values() for i, mine in enumerate(group)
                      if same_row(mine, row, types)]
            if not others:
                return None
            group, index = others[0]
        group.pop(index)
    return [row for group in rest.values() for row in group]


def same_multiset(mine, theirs, types):
    return len(mine) == len(theirs) and without(mine, theirs, types) == []


def order_columns(sql, names):
    """Returns the positions of the selected columns that the query orders by."""
    match = ORDER_BY.search(sql)
    if not match:
        return []
    keys = [re.sub(r"\s+(ASC|DESC|NULLS\s+(FIRST|LAST))\b", "", key, flags=re.IGNORECASE).strip()
            for key in match[1].split(",")]
    lower = [name.lower() for name in names]
    return [lower.index(key.lower()) for key in keys if key.lower() in lower]


def same_open_rows(sql, mine, theirs, names, types, ask_all):
    """Compares answers whose order, and under LIMIT whose choice of rows, the query leaves open."""
    if same_multiset(mine, theirs, types):
        return None
    if len(mine) != len(theirs):
        return f"{len(mine)} rows, Pinot has {len(theirs)}"
    for position in order_columns(sql, names):
        if not all(same_cell(a[position], b[position], types[position]) for a, b in zip(mine, theirs)):
            return f"column {names[position]}, which the query orders by, differs"
    if "GROUP BY" in sql.upper():
        return "groups differ"
    full = ask_all(f"{LIMIT.sub('', sql.rstrip().rstrip(';'))} LIMIT {ROWS_ALL}")
    if without(full, theirs, types) is None:
        return "the full answer lacks rows that Pinot gave"
    if without(full, mine, types) is None:
        return "the answer has rows that the full answer lacks"
    return None


def first_difference(mine, theirs, types):
    for index, (a, b) in enumerate(zip(mine, theirs)):
        if not same_row(a, b, types):
            return f"row {index}: {json.dumps(a, ensure_ascii=False)}, Pinot {json.dumps(b, ensure_ascii=False)}"
    return f"{len(mine)} rows, Pinot has {len(theirs)}" if len(mine) != len(theirs) else None


def judge(record, answer, ask_all):
    """Returns (outcome, why). `ask_all(sql)` returns the rows of another query to the same broker."""
    wanted = record.get("resultTableIntermediate") or record.get("resultTable")
    codes = [error["errorCode"] for error in record.get("exceptions") or []]
    errors = answer.get("exceptions") or []
    if errors:
        said = f"{errors[0].get('errorCode')} {errors[0].get('message', '')}"
        if wanted is None and codes and errors[0].get("errorCode") == codes[0]:
            return EQUAL, ""
        return GAP, said if wanted is not None else f"{said} (Pinot: {codes})"
    mine = answer.get("resultTable")
    if mine is None:
        return WRONG, "neither rows nor an exception"
    if wanted is None:
        return WRONG, f"rows where Pinot answers {codes}"
    if answer.get("partialResult") and not record.get("partialResult"):
        return WRONG, "partialResult without an exception, where Pinot's answer is whole"
    fault = table_fault(record, mine, wanted, ask_all)
    if fault and record["sql"].lstrip().upper().startswith("EXPLAIN"):
        return GAP, f"plan: {fault}"
    return (WRONG, fault) if fault else (EQUAL, "")


def null_keys_lost(record):
    """Whether Pinot, answering from one server, may have printed NULL group keys as 0, false or ''."""
    return "enableNullHandling=true" in (record.get("queryOptions") or "") and "GROUP BY" in record["sql"].upper()


def with_null_keys(mine, theirs):
    """Puts NULL where ours is NULL and theirs is the value that Pinot's one-server shortcut prints for it."""
    def cell(a, b):
        return None if a is None and b in (0, False, "") else b
    return [[cell(a, b) for a, b in zip(x, y)] if len(x) == len(y) else y for x, y in zip(mine, theirs)] + theirs[len(mine):]


def table_fault(record, mine, wanted, ask_all):
    """Returns what differs between two result tables, or None."""
    schema, pinot = mine["dataSchema"], wanted["dataSchema"]
    for part in ("columnNames", "columnDataTypes"):
        if schema[part] != pinot[part]:
            return f"{part} {schema[part]}, Pinot {pinot[part]}"
    types = pinot["columnDataTypes"]
    if not record.get("resultTableIntermediate") and null_keys_lost(record):
        wanted = {**wanted, "rows": with_null_keys(mine["rows"], wanted["rows"])}
    if record.get("ordered", True):
        return first_difference(mine["rows"], wanted["rows"], types)
    return same_open_rows(record["sql"], mine["rows"], wanted["rows"], pinot["columnNames"], types, ask_all)

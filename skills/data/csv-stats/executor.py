"""Reads {"csv": "..."} on stdin and prints what its number columns hold."""

import csv
import io
import json
import sys


def fail(message: str) -> None:
    print(json.dumps({"error": {"code": "INVALID_PARAMS", "message": message, "details": {"reason": "csv"}}}))
    sys.exit(0)


def summarise(text: str) -> dict:
    rows = [row for row in csv.reader(io.StringIO(text)) if row]
    if len(rows) < 2:
        fail("The CSV has no data rows. Send a line of column names and at least one line of values.")
    names, data = rows[0], rows[1:]
    columns = []
    for index, name in enumerate(names):
        cells = [row[index].strip() for row in data if index < len(row) and row[index].strip()]
        try:
            numbers = [float(cell) for cell in cells]
        except ValueError:
            continue
        if numbers:
            total = sum(numbers)
            columns.append({"name": name, "count": len(numbers), "min": min(numbers), "max": max(numbers), "mean": total / len(numbers), "sum": total})
    return {"rows": len(data), "columns": columns}


try:
    print(json.dumps(summarise(json.load(sys.stdin)["csv"])))
except csv.Error as error:
    fail(f"The CSV cannot be read: {error}. Check quotes and line ends.")

"""Counts words in a worker that answers one JSON line a call."""

import json
import re
import sys

WORD = re.compile(r"[\u3400-\u9fff]|[^\W_]+(?:['\u2019-][^\W_]+)*")


def count(text: str) -> dict:
    words = 0
    for match in WORD.findall(text):
        # A run of other letters is one word, each Chinese character is one of its own.
        words += len(re.findall(r"[\u3400-\u9fff]", match)) or 1
    return {"words": words, "characters": len(text), "lines": text.count("\n") + 1 if text else 0}


for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = {"id": request["id"], "result": count(request["params"]["text"])}
    except Exception as error:  # the caller must get an answer whatever happens
        answer = {"id": request["id"], "error": {"code": "EXECUTION_ERROR", "message": type(error).__name__}}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()

#!/bin/sh
# Prints {"matches":[{"path","line","text"}]} for a literal text; grep and awk are all it needs.
set -eu
params=$(cat)
text=$(printf '%s' "$params" | sed -e 's/^{"text":"//' -e 's/"}$//' -e 's/\\"/"/g' -e 's/\\\\/\\/g')
area="$SKILLWRIGHT_DATA_DIR/files"
mkdir -p "$area"
cd "$area"
(grep -rniIF -- "$text" . 2>/dev/null || true) | head -n 200 | awk '
  function escape(value) {
    gsub(/\\/, "\\\\", value)
    gsub(/"/, "\\\"", value)
    gsub(/\t/, "\\t", value)
    gsub(/[\001-\037]/, " ", value)
    return value
  }
  BEGIN { printf "{\"matches\":[" }
  {
    path = $0; sub(/:.*/, "", path)
    rest = substr($0, length(path) + 2)
    line = rest; sub(/:.*/, "", line)
    body = substr(rest, length(line) + 2)
    sub(/^\.\//, "", path)
    printf "%s{\"path\":\"%s\",\"line\":%d,\"text\":\"%s\"}", (NR > 1 ? "," : ""), escape(path), line, escape(substr(body, 1, 500))
  }
  END { print "]}" }
'

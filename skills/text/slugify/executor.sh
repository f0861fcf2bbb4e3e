#!/bin/sh
# Reads {"title":"..."} and prints {"slug":"..."}.
set -eu
slug=$(sed -e 's/^{"title":"//' -e 's/"}$//' -e "s/\\\\[ntr\"\\\\]/ /g" | LC_ALL=C tr '[:upper:]' '[:lower:]' | LC_ALL=C tr -cs 'a-z0-9' '-' | sed -e 's/^-*//' -e 's/-*$//')
printf '{"slug":"%s"}\n' "$slug"

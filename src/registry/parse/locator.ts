/** The line, from 1, of the value a JSON pointer leads to, or of the nearest thing around it; undefined when there is none. */
export type Locator = (pointer: string) => number | undefined;

interface Place {
  readonly line: number;
  readonly members: Map<string, Place>;
}

interface Open {
  readonly place: Place;
  readonly isArray: boolean;
  /** The member that is being read; undefined before its name. */
  key: string | undefined;
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:\n]|[^\s{}[\],:"]+/g;

/** Finds lines in the text of a valid JSON file; the text is looked through once, on the first question. */
export function createLocator(text: string): Locator {
  let root: Place | undefined;
  return (pointer) => {
    root ??= read(text);
    let place: Place | undefined;
    for (const token of pointerTokens(pointer)) {
      const next: Place | undefined = (place ?? root).members.get(token);
      if (next === undefined) break;
      place = next;
    }
    return place?.line;
  };
}

/** The reference tokens of a JSON pointer (RFC 6901). */
export function pointerTokens(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A key as a token of a JSON pointer. */
export function escapeToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function read(text: string): Place {
  const root: Place = { line: 1, members: new Map() };
  const open: Open[] = [];
  let line = 1;
  let current = root;
  const enter = (key: string): void => {
    current = { line, members: new Map() };
    open.at(-1)?.place.members.set(key, current);
  };
  for (const [token] of text.matchAll(TOKEN)) {
    const top = open.at(-1);
    if (token === '\n') line++;
    else if (token === ':') continue;
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',') {
      if (top !== undefined) top.key = top.isArray ? String(Number(top.key) + 1) : undefined;
    } else if (top !== undefined && top.key === undefined) {
      top.key = JSON.parse(token) as string;
      enter(top.key);
    } else {
      if (top?.isArray === true) enter(top.key ?? '0');
      if (token === '{' || token === '[')
        open.push({ place: current, isArray: token === '[', key: token === '[' ? '0' : undefined });
    }
  }
  return root;
}

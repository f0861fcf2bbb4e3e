#!/usr/bin/env node
// Plain JavaScript that even an old Node can read, so that it can say what is missing.
/* oxlint-disable typescript/no-unsafe-return -- plain JavaScript has no types to go by */
import { spawn } from 'child_process';
import { existsSync } from 'fs';
import * as nodeModule from 'module';
import { dirname, join } from 'path';
import { fileURLToPath, pathToFileURL } from 'url';

const here = dirname(fileURLToPath(import.meta.url));
const rerunning = process.env.SKILLWRIGHT_RERUN !== undefined;
delete process.env.SKILLWRIGHT_RERUN;

if (newEnough(process.versions.node)) start();
else rerun();

function newEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

function start() {
  if (nodeModule.enableCompileCache) nodeModule.enableCompileCache();
  // A published package has no sources; where there are any, an old build must not run in their place.
  const source = join(here, '../src/cli/main.ts');
  const main = existsSync(source) ? source : join(here, '../dist/cli/main.js');
  import(pathToFileURL(main).href).then(
    ({ main }) => main(process.argv),
    (error) => {
      const missing = error.code === 'ERR_MODULE_NOT_FOUND';
      stop(missing ? `${error.message}\nRun "npm install" beside skillwright first.` : error.stack);
    },
  );
}

/** Hands over to the Node that npm's `node` package put beside this package or above it. */
function rerun() {
  const node = rerunning ? undefined : findNode();
  if (node === undefined) {
    stop(
      `skillwright needs Node 22.18 or newer; this is ${process.versions.node}. ` +
        'Install Node 24 from https://nodejs.org, or run "npm install node@24" beside skillwright.',
    );
    return;
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: Object.assign({}, process.env, { SKILLWRIGHT_RERUN: '1' }),
  });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => stop(`${node} could not be started: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const name of signals) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

function findNode() {
  for (let folder = dirname(here); ; folder = dirname(folder)) {
    for (const path of ['node_modules/.bin/node', 'node_modules/node/bin/node']) {
      if (existsSync(join(folder, path))) return join(folder, path);
    }
    if (folder === dirname(folder)) return undefined;
  }
}

function stop(message) {
  console.error(message);
  process.exitCode = 1;
}

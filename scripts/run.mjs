// Plain JavaScript for Node >= 18 without dependencies: it runs before there is anything else.
// usage: node scripts/run.mjs <script> [arguments]
/* oxlint-disable typescript/no-unsafe-return -- plain JavaScript has no types to go by */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const lockFile = join(root, 'package-lock.json');
const NEEDED = [22, 18];

const [script, ...args] = process.argv.slice(2);
if (script === undefined) fail('Usage: node scripts/run.mjs <script> [arguments]');
if (!installed()) await install();
await runScript(findNode());

/** True when npm's own record of node_modules holds every package of the lock file, each in its version. */
function installed() {
  const present = packagesOf(join(modules, '.package-lock.json'));
  if (present === undefined) return false;
  const wanted = packagesOf(lockFile);
  // Without a lock file there is nothing to compare with: any finished installation will do.
  if (wanted === undefined) return true;
  return Object.entries(wanted).every(([path, { version, integrity, optional, link }]) => {
    if (path === '' || link) return true;
    const found = present[path];
    if (found === undefined) return optional === true;
    return found.version === version && found.integrity === integrity;
  });
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

async function install() {
  const release = await takeTurn();
  try {
    // Another run may have done the work while this one waited.
    if (installed()) return;
    say('Installing dependencies (once, about 20 s) ...');
    const started = Date.now();
    const beat = setInterval(() => say(`... still installing, ${seconds(started)} s`), 10_000);
    // Not "npm ci": it empties node_modules under whatever runs from it, and refuses a lock file in which
    // npm itself left out an optional package of another platform.
    const status = await npm([
      'install',
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ]);
    clearInterval(beat);
    if (status !== 0) {
      fail(
        `"npm install" failed (exit ${status}); its message is above. Check the network and the npm registry, then run it again.`,
      );
    }
    if (!installed()) {
      fail(
        'What npm installed is not what package-lock.json names. Run "npm install", and keep the package-lock.json it writes.',
      );
    }
    say(`Dependencies are installed (${seconds(started)} s).`);
  } finally {
    release();
  }
}

/** Two installations at once would tear node_modules apart; the second waits for the first. */
async function takeTurn() {
  const lock = join(root, '.skillwright', 'install.lock');
  mkdirSync(dirname(lock), { recursive: true });
  for (let told = false; ; await new Promise((resolve) => setTimeout(resolve, 200))) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      const release = () => rmSync(lock, { force: true });
      process.once('exit', release);
      return release;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (!alive(lock)) rmSync(lock, { force: true });
    else if (!told) {
      say('Another run is installing the dependencies; waiting for it ...');
      told = true;
    }
  }
}

function alive(lock) {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    // An empty file: its owner is just about to write into it.
    return pid === 0 || process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function npm(args) {
  const cli = process.env.npm_execpath;
  if (cli !== undefined && /npm-cli\.c?js$/.test(cli)) return run(process.execPath, [cli, ...args]);
  return run('npm', args, { shell: process.platform === 'win32' });
}

/** The project's own Node, else the running one when it is new enough. */
function findNode() {
  const own = join(modules, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
  if (existsSync(own)) return own;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return process.execPath;
  return fail(
    `Node ${process.versions.node} is too old: ${NEEDED.join('.')} or newer is needed. ` +
      'It should have come with the dependencies; run "npm rebuild node" to fetch it, or install Node 24 from nodejs.org.',
  );
}

async function runScript(node) {
  const env = {
    ...process.env,
    PATH: `${join(modules, '.bin')}${delimiter}${process.env.PATH ?? ''}`,
  };
  process.exitCode = await run(node, [join(root, script), ...args], {
    env,
    shell: node.endsWith('.cmd'),
  });
}

/** Runs a program on this one's terminal and passes signals on; resolves to its exit code. */
function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options });
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    const forward = (signal) => child.kill(signal);
    for (const signal of signals) process.on(signal, forward);
    const done = (code) => {
      for (const signal of signals) process.off(signal, forward);
      resolve(code);
    };
    child.once('error', (error) => {
      say(`${command} could not be started (${error.code}).`);
      done(127);
    });
    child.once('exit', (code, signal) => done(code ?? 128 + constants.signals[signal]));
  });
}

function seconds(started) {
  return Math.round((Date.now() - started) / 1000);
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

function fail(text) {
  say(text);
  return process.exit(1);
}

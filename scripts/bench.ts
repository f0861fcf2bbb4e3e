import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const NAMES = ['call', 'mcp', 'start', 'command', 'dialects'];
const folder = join(import.meta.dirname, '../bench');
const [name = '', ...options] = process.argv.slice(2);

if (!NAMES.includes(name)) {
  console.error(`Usage: npm run bench:<${NAMES.join('|')}> [-- --rounds <n>] [--json]`);
  process.exit(2);
}
if (!existsSync(join(folder, 'node_modules'))) {
  console.error('Installing the peers to measure beside (once, about a minute) ...');
  const installed = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  if (installed.status !== 0) {
    console.error(
      'The peers could not be installed. Check the network and the npm registry, then try again.',
    );
    process.exit(1);
  }
}
process.exit(
  spawnSync(process.execPath, [join(folder, `${name}.ts`), ...options], { stdio: 'inherit' })
    .status ?? 1,
);

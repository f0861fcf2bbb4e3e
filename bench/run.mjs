// Runs one benchmark; installs the peers it is measured beside on first use.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const bench = fileURLToPath(new URL('.', import.meta.url));
const [name, ...rest] = process.argv.slice(2);
if (!existsSync(`${bench}node_modules/.package-lock.json`)) {
  console.error('Installing the peers of the benchmarks into bench/node_modules, once ...');
  const { status } = spawnSync('npm', ['--prefix', bench, 'ci'], { stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    console.error('That failed. Run "npm --prefix bench ci" to see why.');
    process.exit(1);
  }
}
const { status } = spawnSync(process.execPath, [`${bench}${name}.ts`, ...rest], {
  stdio: 'inherit',
});
process.exit(status ?? 1);

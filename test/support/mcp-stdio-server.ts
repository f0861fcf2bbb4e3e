import { serveStdio } from '../../src/server/mcp/stdio.ts';
import { processRuntime } from './mcp-library.ts';

// The skills of the server's tests, over this process's stdin and stdout.
await serveStdio(await processRuntime());

import { startLocalService } from './start-local-service.ts';

// node skills/_service/main.ts: the service alone, at the address the configuration expects.
const { url } = await startLocalService(3921);
console.error(`The local service answers at ${url} until Ctrl-C.`);

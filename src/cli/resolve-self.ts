import { extname } from 'node:path';
import { registerHooks } from 'node:module';

const index = new URL(`../index${extname(import.meta.url)}`, import.meta.url).href;

// A library's skills and tests may import 'skillwright' wherever it lies: they get this copy.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'skillwright' ? { url: index, shortCircuit: true } : next(specifier, context),
});

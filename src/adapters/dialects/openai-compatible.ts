import { openaiChat } from './openai-chat.ts';
import type { Dialect } from './rules.ts';

/** Servers that speak Chat Completions: some refuse an empty `properties`. */
export const openaiCompatible: Dialect = {
  ...openaiChat,
  id: 'openai-compatible',
  omitEmpty: true,
};

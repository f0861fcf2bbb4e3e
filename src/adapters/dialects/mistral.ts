import { openaiChat } from './openai-chat.ts';
import type { Dialect } from './rules.ts';

/** Mistral: the shape of Chat Completions; arguments come as text or as an object. */
export const mistral: Dialect = { ...openaiChat, id: 'mistral' };

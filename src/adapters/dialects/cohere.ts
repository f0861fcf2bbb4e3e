import { openaiChat } from './openai-chat.ts';
import type { Dialect } from './rules.ts';

/** Cohere v2: the shape of Chat Completions without a strict flag on the tool. */
export const cohere: Dialect = { ...openaiChat, id: 'cohere' };

import { openaiChat } from './openai-chat.ts';
import type { Dialect } from './rules.ts';

/** Vercel AI SDK: its providers hardly adapt schemas, so the most widely taken form goes in. */
export const aiSdk: Dialect = { ...openaiChat, id: 'ai-sdk', shape: 'ai-sdk', arguments: 'object' };

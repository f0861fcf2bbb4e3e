import { FULL, type Dialect } from './rules.ts';

/** OpenAI Chat Completions without strict: the root is an object without unions, arrays say their items. */
export const openaiChat: Dialect = {
  id: 'openai.chat',
  facts: '2026-11-30',
  shape: 'openai.chat',
  maxName: 64,
  dots: false,
  maxTools: 128,
  maxDescription: 1024,
  arguments: 'text',
  rules: { ...FULL, rootUnions: false, items: true },
};

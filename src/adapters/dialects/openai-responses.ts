import { openaiStrict } from './openai-strict.ts';
import type { Dialect } from './rules.ts';

/** OpenAI Responses: `strict` is always said, since leaving it out means "try". */
export const openaiResponses: Dialect = {
  ...openaiStrict,
  id: 'openai.responses',
  shape: 'openai.responses',
};

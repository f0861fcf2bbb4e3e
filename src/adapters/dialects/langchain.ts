import { openaiChat } from './openai-chat.ts';
import type { Dialect } from './rules.ts';

/** LangChain passes the schema on raw to whichever model is bound. */
export const langchain: Dialect = {
  ...openaiChat,
  id: 'langchain',
  shape: 'langchain',
  arguments: 'object',
};

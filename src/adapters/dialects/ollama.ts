import { openaiChat } from './openai-chat.ts';
import { keywords, type Dialect } from './rules.ts';

/** Ollama keeps type, description, enum and items of each property; what is nested is told in words as well. */
export const ollama: Dialect = {
  ...openaiChat,
  id: 'ollama',
  arguments: 'object',
  flattens: true,
  rules: {
    ...openaiChat.rules,
    keywords: keywords(
      'type description enum items properties required anyOf additionalProperties',
    ),
    references: 'inline',
    recursion: false,
  },
};

import { openaiChat } from './openai-chat.ts';
import { keywords, type Dialect } from './rules.ts';

/** llama.cpp turns the schema into a grammar; what it cannot turn it ignores or, worse, drops the whole grammar. */
export const llamaCpp: Dialect = {
  ...openaiChat,
  id: 'llamacpp',
  rules: {
    ...openaiChat.rules,
    keywords: keywords(
      'type title description default enum const properties required additionalProperties items minItems maxItems',
      'minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum pattern format anyOf',
    ),
    references: 'inline',
    recursion: false,
    unionSiblings: false,
    patterns: 'grammar',
    formats: keywords('date time date-time uuid'),
    integerBoundsOnly: true,
  },
};

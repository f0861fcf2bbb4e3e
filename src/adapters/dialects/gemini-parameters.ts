import { geminiJson } from './gemini-json.ts';
import { keywords, type Dialect } from './rules.ts';

/** Gemini's older `parameters`: a subset of OpenAPI 3.0. */
export const geminiParameters: Dialect = {
  ...geminiJson,
  id: 'gemini.parameters',
  shape: 'gemini.parameters',
  rules: {
    ...geminiJson.rules,
    keywords: keywords(
      'anyOf default description enum format items maxItems maxLength maxProperties maximum minItems minLength',
      'minProperties minimum pattern properties required title type',
    ),
    references: 'inline',
    recursion: false,
    types: 'openapi',
    typed: true,
    items: true,
    textEnums: true,
    unionSiblings: false,
    patterns: 'no-lookaround',
  },
};

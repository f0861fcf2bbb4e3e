import type { JsonObject } from '../src/index.ts';

/** A contract as a benchmark needs it: schema, one valid call, and the work. */
export interface BenchTool {
  readonly name: string;
  readonly schema: JsonObject;
  readonly params: JsonObject;
  execute(params: JsonObject): Promise<unknown>;
}

/** Two numbers. */
export const add: BenchTool = {
  name: 'math.add',
  schema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  params: { a: 1, b: 2 },
  execute: async ({ a, b }) => ({ sum: (a as number) + (b as number) }),
};

const rows = Array.from({ length: 12 }, (_, index) => ({
  id: `task-${index}`,
  title: `Prepare item number ${index}`,
  done: index % 2 === 0,
}));

/** Twelve parameters with the constraints real contracts have: some 420 bytes in, 960 out. */
export const order: BenchTool = {
  name: 'order.create',
  schema: {
    type: 'object',
    properties: {
      customer: { type: 'string', minLength: 1, maxLength: 80 },
      email: { type: 'string', format: 'email' },
      day: { type: 'string', format: 'date' },
      sku: { type: 'string', pattern: '^[A-Z]{2}-\\d{4}$' },
      quantity: { type: 'integer', minimum: 1, maximum: 999 },
      price: { type: 'number', minimum: 0, multipleOf: 0.01 },
      currency: { type: 'string', enum: ['EUR', 'USD', 'GBP', 'CNY'] },
      express: { type: 'boolean' },
      note: { type: 'string', maxLength: 500 },
      tags: {
        type: 'array',
        items: { type: 'string', maxLength: 40 },
        maxItems: 10,
        uniqueItems: true,
      },
      address: {
        type: 'object',
        properties: {
          street: { type: 'string', maxLength: 100 },
          zip: { type: 'string', pattern: '^\\d{5}$' },
          city: { type: 'string', maxLength: 60 },
          country: { type: 'string', minLength: 2, maxLength: 2 },
        },
        required: ['street', 'zip', 'city', 'country'],
        additionalProperties: false,
      },
      reference: { type: 'string', format: 'uuid' },
    },
    required: ['customer', 'email', 'day', 'sku', 'quantity', 'price', 'currency', 'address'],
    additionalProperties: false,
  },
  params: {
    customer: 'Ann Lee of the northern sales office',
    email: 'ann.lee@example.com',
    day: '2026-03-31',
    sku: 'AB-1234',
    quantity: 12,
    price: 19.5,
    currency: 'EUR',
    express: true,
    note: 'Please deliver before noon and ring twice, the bell is quiet.',
    tags: ['spring', 'stationery', 'repeat'],
    address: { street: 'Example Road 12', zip: '12345', city: 'Berlin', country: 'DE' },
    reference: '123e4567-e89b-42d3-a456-426614174000',
  },
  execute: async () => ({ total: 12, rows }),
};

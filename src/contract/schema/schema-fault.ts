/** Something in a schema that makes it unusable: where (JSON pointer) and what to do. */
export interface SchemaFault {
  readonly path: string;
  readonly message: string;
}

/** The contract: the description, read once at start, with parsers compiled on demand. */
import type { Operations } from '../domain/schemas.ts';
import { checkBody } from './check-body.ts';
import { membersOf, parseDescription, resolve } from './description.ts';
import type { JsonObject, JsonValue } from '../json/parse-json.ts';
import { PathTable, readOperations } from './operations.ts';
import type { Operation } from './operations.ts';
import { compileParameters } from './parse-parameters.ts';
import type { RawParameters } from './parse-parameters.ts';
import { SchemaCompiler } from './schema-compiler.ts';
import { toServable } from './server-description.ts';
import type { DescriptionTexts, Servable } from './server-description.ts';

export type OperationId = keyof Operations;

/** The parsed parameters of an operation; undefined if it has none. */
export type ParametersOf<Id extends OperationId> = Operations[Id] extends { readonly parameters: infer T }
  ? T
  : undefined;

/** The parsed JSON body of an operation, or one row of its body; undefined if it takes no body. */
export type ContentOf<Id extends OperationId> = Id extends unknown
  ? Operations[Id] extends { readonly body: infer T } | { readonly row: infer T }
    ? T
    : undefined
  : never;

/** The errors of bodies that are not of their schema. */
export type BodyError = 'plant_invalid' | 'batch_invalid' | 'webhook_invalid' | 'token_request_invalid';

export interface Contract extends Servable {
  /** The description as plain data. Integers beyond a double are `bigint`. */
  readonly document: JsonObject;
  /** By operation id, in the order of the description. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** Finds the operations of a path below the base path, and its parameters. */
  readonly paths: PathTable;
  /**
   * Compiles the parser of an operation's JSON body or row. Takes milliseconds: call it once.
   *
   * The parser returns the typed value. It throws ServiceError `text_nul`, `plant_id_invalid`, or
   * `invalid` for other values that are not of the schema.
   */
  parseBody<Id extends OperationId>(operationId: Id, invalid: BodyError): (value: unknown) => ContentOf<Id>;
  /**
   * Compiles the parser of an operation's parameters. Takes milliseconds: call it once.
   *
   * The parser throws ServiceError `path_id_invalid`, `query_invalid` or `condition_invalid`.
   */
  parseParameters<Id extends OperationId>(operationId: Id): (raw: RawParameters) => ParametersOf<Id>;
}

/** @throws Error if the texts are not a description that the service can serve. */
export function loadContract(texts: DescriptionTexts): Contract {
  const document = parseDescription(texts.json);
  const operations = readOperations(document);
  let compiler: SchemaCompiler | undefined;
  const find = (operationId: string): Operation => {
    const operation = operations.get(operationId);
    if (operation === undefined) throw new Error(`Cannot parse a request of ${operationId}: it is not described`);
    return operation;
  };
  return {
    document,
    operations,
    paths: new PathTable(operations.values()),
    parseBody: <Id extends OperationId>(operationId: Id, invalid: BodyError) => {
      compiler ??= new SchemaCompiler(document);
      const operation = find(operationId);
      const validate = compiler.compile(findBodySchema(document, operation));
      return (value) => {
        checkBody(validate, value, invalid);
        // The type is generated from the schema that validated the value.
        return value as ContentOf<Id>;
      };
    },
    parseParameters: <Id extends OperationId>(operationId: Id) => {
      compiler ??= new SchemaCompiler(document);
      // The type is generated from the same description as the parser.
      return compileParameters(document, find(operationId), compiler) as (raw: RawParameters) => ParametersOf<Id>;
    },
    ...toServable(texts),
  };
}

function findBodySchema(document: JsonObject, { operationId, definition }: Operation): JsonValue {
  const body = resolve(document, definition['requestBody']);
  const [media] = Object.values(membersOf(body['content']));
  const schema = membersOf(media)['x-row-schema'] ?? membersOf(media)['schema'];
  if (schema === undefined) throw new Error(`Cannot parse a body of ${operationId}: it takes none`);
  return schema;
}

/**
 * The contract: the description, read once at the start, and what the service asks of it.
 * Files are not read here; validators are compiled when they are asked for.
 */
import type { NewPlant, OperationParameters, Plant, PlantPatch } from '../domain/schemas.ts';
import { checkBody } from './check-body.ts';
import { membersOf, parseDescription, resolve } from './description.ts';
import type { Members, Value } from './description.ts';
import { PathTable, readOperations } from './operations.ts';
import type { Operation } from './operations.ts';
import { compileParameters } from './parse-parameters.ts';
import type { RawParameters } from './parse-parameters.ts';
import { SchemaCompiler } from './schema-compiler.ts';
import { toServedPieces } from './server-description.ts';
import type { DescriptionTexts, ServedPieces } from './server-description.ts';

/** What the JSON body of an operation is once it is parsed; of a body of rows, one row. */
export interface Bodies {
  readonly createPlant: NewPlant;
  readonly putPlant: Plant;
  readonly patchPlant: PlantPatch;
  readonly importPlants: NewPlant;
}

export interface Contract {
  /** The description as plain data; integers that a double cannot hold are `bigint`. */
  readonly document: Members;
  /** By operation id, in the order of the description. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** The operation of a method and a path, both without base path and query; HEAD finds that of GET. */
  findOperation(method: string, path: string): Operation | undefined;
  /** For the Allow header field: in alphabetical order, HEAD wherever GET is; empty when the path is unknown. */
  allowedMethods(path: string): readonly string[];
  /**
   * Compiles the parser of an operation's JSON body, which takes some milliseconds: ask once, at the start.
   *
   * The parser hands back its value, typed. It throws ServiceError `text_nul`, `plant_id_invalid` or `plant_invalid`.
   */
  parseBody<Id extends keyof Bodies>(operationId: Id): (value: unknown) => Bodies[Id];
  /**
   * Compiles the parser of an operation's parameters: ask once, at the start.
   *
   * The parser throws ServiceError `path_id_invalid`, `query_invalid` or `condition_invalid`.
   */
  parseParameters<Id extends keyof OperationParameters>(
    operationId: Id,
  ): (raw: RawParameters) => OperationParameters[Id];
  /** For `serverDescription`; cut at the first call. */
  servedPieces(): ServedPieces;
}

/** @throws Error when the texts are no description that the service can serve. */
export function loadContract(texts: DescriptionTexts): Contract {
  const document = parseDescription(texts.json);
  const operations = readOperations(document);
  const paths = new PathTable(operations.values());
  let compiler: SchemaCompiler | undefined;
  let pieces: ServedPieces | undefined;
  return {
    document,
    operations,
    findOperation: (method, path) => paths.findOperation(method, path),
    allowedMethods: (path) => paths.allowedMethods(path),
    parseBody: <Id extends keyof Bodies>(operationId: Id) => {
      compiler ??= new SchemaCompiler(document);
      const validate = compiler.compile(findBodySchema(document, operations.get(operationId)));
      return (value) => {
        checkBody(validate, value);
        // The type is generated from the schema that the value has just been held against.
        return value as Bodies[Id];
      };
    },
    parseParameters: <Id extends keyof OperationParameters>(operationId: Id) => {
      const operation = operations.get(operationId);
      if (operation === undefined) throw new Error(`Cannot parse parameters of ${operationId}: it is not described`);
      compiler ??= new SchemaCompiler(document);
      const parse = compileParameters(document, operation, compiler);
      // The type is generated from the description that the parser has just been compiled from.
      return (raw) => parse(raw) as OperationParameters[Id];
    },
    servedPieces: () => (pieces ??= toServedPieces(texts)),
  };
}

function findBodySchema(document: Members, operation: Operation | undefined): Value {
  const body = resolve(document, operation?.definition['requestBody']);
  const [media] = Object.values(membersOf(body['content']));
  const schema = membersOf(media)['x-row-schema'] ?? membersOf(media)['schema'];
  if (schema === undefined)
    throw new Error(`Cannot parse a body of ${operation?.operationId ?? 'an unknown operation'}`);
  return schema;
}

/**
 * Every error that the service can return: the only place for messages, and, with error-numbers.ts,
 * for numbers. Tests compare it with the description's examples and docs/reference/errors.md.
 * http/wire/reply.ts serialises it.
 */
import * as numbers from './error-numbers.ts';

/** One registry entry. */
export interface ErrorEntry {
  /** Status x 100 + n, int32; never changes. */
  readonly number: number;
  /** Returned as `message`, sometimes with a detail appended: what is wrong, then what to do. */
  readonly message: string;
  /** When it is returned, for the reference page. */
  readonly meaning: string;
  /** What the caller can do, for the reference page. */
  readonly remedy: string;
}

export const errors = {
  request_malformed: {
    number: 40001,
    message: 'The request is not valid HTTP/1.1',
    meaning: 'The request line, a header field, the Host field or the framing of the body is malformed.',
    remedy: 'Use an HTTP client library, or fix the request to follow RFC 9112.',
  },
  credentials_misplaced: {
    number: 40002,
    message: 'Send the token once, in the Authorization header, not in the URL or in a form body',
    meaning: 'The request has two Authorization header fields, or sends its token in the URL or in a form body.',
    remedy: 'Send the token once, as "Authorization: Bearer TOKEN". Revoke a token that was sent in a URL.',
  },
  body_missing: {
    number: 40003,
    message: 'The request body is missing',
    meaning: 'The operation requires a body, and the request has none or an empty one.',
    remedy: 'Send the body that the description of the operation shows.',
  },
  body_not_utf8: {
    number: 40004,
    message: 'The body is not valid UTF-8',
    meaning: 'The bytes of the body, or of a row of an import, are not valid UTF-8 (RFC 8259, section 8.1).',
    remedy: 'Encode the body as UTF-8.',
  },
  json_malformed: {
    number: 40005,
    message: 'The body is not valid JSON',
    meaning: 'The body does not follow RFC 8259, or begins with a byte order mark.',
    remedy: 'Create the body with a JSON library. The message gives the position of the first error.',
  },
  json_member_duplicate: {
    number: 40006,
    message: 'A JSON object in the body has a duplicate member',
    meaning:
      'Two members of one object have the same name, perhaps one of them written with \\u escapes. Two readers could see two different plants.',
    remedy: 'Send each member once.',
  },
  json_surrogate_unpaired: {
    number: 40007,
    message: 'A JSON string in the body has an unpaired surrogate',
    meaning:
      'A string contains an unpaired surrogate (U+D800 to U+DFFF). That is not Unicode text and cannot be stored exactly.',
    remedy: 'Escape characters above U+FFFF as a pair of escapes, or send them as UTF-8.',
  },
  json_too_deep: {
    number: 40008,
    message: 'The JSON in the body is nested more than 32 levels deep',
    meaning: 'Arrays and objects in the body are nested more than 32 levels deep.',
    remedy: 'Send only the plant; it has one level.',
  },
  text_nul: {
    number: 40009,
    message: 'Cannot store plant: "name" and "tag" must not contain the character U+0000',
    meaning: 'A name or tag contains U+0000, which not every database can store.',
    remedy: 'Remove the character.',
  },
  plant_invalid: {
    number: 40010,
    message: 'Cannot store plant: the body does not match the schema',
    meaning: 'The body is JSON, but a member is missing, has the wrong type, or is too long.',
    remedy: 'Fix the member that the message names.',
  },
  plant_id_invalid: {
    number: numbers.plantIdInvalid,
    message: 'Cannot store plant: "id" is not a valid id',
    meaning:
      'The member "id" is not a JSON number, not an integer, outside the range of int64, or longer than 40 characters.',
    remedy: 'Send the id as a JSON number such as 7, not as a string.',
  },
  path_id_invalid: {
    number: 40012,
    message: 'Cannot find plant: the id in the path is not valid',
    meaning: 'The last segment of the path is not an int64 in digits, without a plus sign and without leading zeros.',
    remedy: 'Write the id in digits, as in /plants/7.',
  },
  query_invalid: {
    number: 40013,
    message: 'Invalid parameter',
    meaning:
      'A query parameter is out of range, given twice, not valid UTF-8, or a cursor or position that the service did not create; or Last-Event-ID is no position.',
    remedy: 'Fix the parameter that the message names. Use cursors and positions unchanged, as the service gave them.',
  },
  condition_invalid: {
    number: 40014,
    message: 'Invalid condition: If-Match and If-None-Match take * or a list of entity tags',
    meaning: 'If-Match or If-None-Match does not follow RFC 9110, section 13.1.',
    remedy: 'Send the ETag of an earlier response unchanged, quotes included.',
  },
  csv_malformed: {
    number: numbers.csvMalformed,
    message: 'Invalid CSV row: a quote is wrong, or the number of fields differs from the header line',
    meaning: 'A row of an import does not follow RFC 4180, or has too few or too many fields.',
    remedy: 'Fix the row. Put fields that contain a comma, a quote or a line break in quotes.',
  },
  csv_header_invalid: {
    number: 40016,
    message: 'Invalid CSV header: the first line must name the columns "id" and "name", and may name "tag"',
    meaning: 'The header line of an import is missing, lacks a column, or names one twice.',
    remedy: 'Begin the file with the line id,name,tag.',
  },
  row_too_long: {
    number: numbers.rowTooLong,
    message: 'The row is longer than 65,536 bytes',
    meaning: 'A row of an import is longer than any plant can be; often a quote is never closed.',
    remedy: 'Fix the row.',
  },
  webhook_invalid: {
    number: 40018,
    message: 'Invalid webhook',
    meaning:
      'A member of the body is missing, unknown or of the wrong type, or the URL is not one that the service may send to.',
    remedy: 'Fix the member that the message names. The URL must begin with https:// and have a public address.',
  },
  token_request_invalid: {
    number: 40021,
    message: 'The body is not a valid token',
    meaning:
      'The JSON body does not match the schema NewToken: a member is missing, unknown or not valid. A misspelled lifetime would give a token that never expires.',
    remedy: 'Fix the member that the message names.',
  },
  json_members_too_many: {
    number: 40019,
    message: 'A JSON object in the body has more than 100 members',
    meaning: 'An object in the body, or in a row of an import, has more than 100 members.',
    remedy: 'Send only the members that the description shows.',
  },
  batch_invalid: {
    number: 40020,
    message: 'Invalid batch',
    meaning:
      'A member of the body is missing, unknown or of the wrong type. Unknown members are refused, because a misspelled one would change other plants.',
    remedy: 'Fix the member that the message names.',
  },
  token_missing: {
    number: 40101,
    message: 'No token: send one as "Authorization: Bearer TOKEN"',
    meaning: 'The request has no Authorization header field, or one with a scheme other than Bearer.',
    remedy:
      'Send a token. The first one is in the file "initial-token" of the data folder; a sandbox takes any such as "sandbox-my-first-space".',
  },
  token_invalid: {
    number: 40102,
    message: 'The token is not valid',
    meaning:
      'The token is malformed, unknown, expired or revoked. For security the response does not say which, unless it is a JWT with a valid signature: then error_description names the claim.',
    remedy: 'Use another token, or create one with "plant-store token create". The log of the service has the reason.',
  },
  scope_missing: {
    number: 40301,
    message: 'Permission denied: the token does not have the required scope',
    meaning: 'The token is valid, but was created without the scope that WWW-Authenticate names.',
    remedy: 'Use a token that has the scope.',
  },
  path_unknown: {
    number: 40401,
    message: 'Nothing found at this path',
    meaning: 'Paths are case-sensitive, have no trailing slash, and begin with the base path.',
    remedy: 'Compare the path with the description at /openapi.json.',
  },
  plant_unknown: {
    number: numbers.plantUnknown,
    message: 'No plant has this id',
    meaning: 'No plant is stored with the id in the path.',
    remedy: 'Compare the id with the list at /plants.',
  },
  webhook_unknown: {
    number: numbers.webhookUnknown,
    message: 'No webhook has this id',
    meaning: 'No webhook is stored with the id in the path.',
    remedy: 'Compare the id with the list at /webhooks.',
  },
  delivery_unknown: {
    number: 40404,
    message: 'No delivery of this webhook has this id',
    meaning: 'The delivery never existed, or is older than those that the service keeps.',
    remedy: 'Compare the id with the list of deliveries.',
  },
  token_unknown: {
    number: numbers.tokenUnknown,
    message: 'No token has this id',
    meaning: 'No token is stored with the id in the path.',
    remedy: 'Compare the id with the list at /tokens.',
  },
  group_unknown: {
    number: 40406,
    message: 'Nothing to undo: the change log has no changes of this group',
    meaning: 'No batch had this group, or it changed nothing, or its changes are no longer kept. Nothing was changed.',
    remedy: 'Compare the group with the report of the batch, or with the changes at /plants/changes.',
  },
  method_not_allowed: {
    number: 40501,
    message: 'Method not allowed on this path',
    meaning: 'The path exists, but does not support this method.',
    remedy: 'Use a method that the Allow header field lists.',
  },
  not_acceptable: {
    number: 40601,
    message: 'The Accept header excludes every media type of this operation',
    meaning: 'The Accept header field excludes every media type that the operation can return. Nothing was written.',
    remedy: 'Add a media type of the operation, or */*, to Accept, or omit the field.',
  },
  request_timeout: {
    number: numbers.requestTimeout,
    message: 'Timeout: the complete request did not arrive in time',
    meaning:
      'The header section took longer than 10 seconds, the request longer than 30 seconds, or an import paused for 30 seconds (configurable).',
    remedy: 'The connection may be too slow: retry, or raise the timeouts of the service.',
  },
  plant_id_taken: {
    number: numbers.plantIdTaken,
    message: 'Cannot store plant: this id already exists with a different name or tag',
    meaning: 'A plant with this id is stored, and its name or tag differs. It was not changed.',
    remedy: 'Choose another id, or change the stored plant with PUT or PATCH.',
  },
  delivery_done: {
    number: 40902,
    message: 'Cannot retry: this delivery was delivered already',
    meaning: 'The receiver has acknowledged the delivery, and its body is not kept.',
    remedy: 'Nothing needs to be done.',
  },
  webhooks_full: {
    number: 40903,
    message: 'Cannot create webhook: there are 100, the maximum. Delete one that is not needed',
    meaning: 'The store has 100 webhooks, the maximum.',
    remedy: 'Delete a webhook that is not needed.',
  },
  tokens_full: {
    number: 40906,
    message: 'Cannot create token: there are 10,000 already',
    meaning: 'The store has 10,000 tokens that can be used, the maximum.',
    remedy: 'Revoke tokens that are not needed, or give several clients of one kind the same token.',
  },
  webhook_key_missing: {
    number: 40904,
    message: 'Cannot make a secret: the service was started without a key for webhooks (PLANT_STORE_WEBHOOK_KEY_FILE)',
    meaning:
      'The service stores its plants in a database and was started without PLANT_STORE_WEBHOOK_KEY_FILE, or the file webhook-key of its data folder is lost.',
    remedy: 'Start the service with a key file, the same for all instances; put a lost one back.',
  },
  plant_changed: {
    number: numbers.plantChanged,
    message: 'The plant was not changed: it has been changed since',
    meaning:
      'The plant is not in the state in which the batch found it, or in which the group left it that is to be undone. It was not changed.',
    remedy: 'Read the plant, and change it by itself if that is still wanted.',
  },
  group_taken: {
    number: 40907,
    message: 'The group belongs to another request: send a new one',
    meaning:
      'The changes of this group are those of another token, of another action, or of the undo of another group; or a request that is still running has it. Nothing was changed.',
    remedy: 'Send a new group. To repeat a request, send it with the same token, and change nothing but its plants.',
  },
  position_unknown: {
    number: 41001,
    message: 'Changes after this position are gone: read the list, then follow the changes from "now"',
    meaning:
      'The changes after the position were removed after the time that the service keeps them, or the position is of another store, such as one before a restore.',
    remedy:
      'Read GET /plants/changes?after=now for a new position, then the list of plants; then go on from that position.',
  },
  condition_not_met: {
    number: 41202,
    message: 'Condition not met: this resource is not in the state that If-Match or If-None-Match names',
    meaning:
      'Only plants and pages have an ETag: no tag in If-Match can be that of another resource. Nothing was changed.',
    remedy: 'Send the request without If-Match and If-None-Match.',
  },
  precondition_failed: {
    number: 41201,
    message: 'Condition not met: the plant is not in the state that If-Match or If-None-Match names',
    meaning:
      'The stored version is not one that If-Match names, or is one that If-None-Match names. Nothing was changed.',
    remedy: 'Read the plant again and repeat the change with its new ETag.',
  },
  body_too_large: {
    number: 41301,
    message: 'The body is too large',
    meaning:
      'The body is longer than 65,536 bytes (configurable; 524,288 of a batch), or its chunk extensions are longer than 16 KiB.',
    remedy: 'Send a smaller body. A plant with the longest name and tag fits.',
  },
  media_type_unsupported: {
    number: 41501,
    message: 'Unsupported Content-Type',
    meaning:
      'Content-Type is missing, sent twice, not a media type of the operation, or has a charset other than utf-8.',
    remedy: 'Send the media type that the Accept header field of the response names.',
  },
  content_encoding_unsupported: {
    number: 41502,
    message: 'Unsupported Content-Encoding: send the body uncompressed',
    meaning:
      'The body is compressed. The service accepts identity only, as the Accept-Encoding header field of the response says.',
    remedy: 'Send the body without Content-Encoding.',
  },
  expectation_unsupported: {
    number: 41701,
    message: 'Unsupported Expect header: only 100-continue is supported',
    meaning: 'The Expect header field is not 100-continue.',
    remedy: 'Omit the field.',
  },
  rate_limited: {
    number: 42901,
    message: 'Too many requests: wait for the seconds in Retry-After',
    meaning: 'The token has used up its rate limit, or in a sandbox the network address of the client.',
    remedy: 'Send the same request again after Retry-After.',
  },
  headers_too_large: {
    number: 43101,
    message: 'The header section is too large',
    meaning:
      'The request target and the names and values of the header fields have 16 KiB or more, or there are more than 100 fields.',
    remedy: 'Send fewer or shorter header fields.',
  },
  internal: {
    number: 50001,
    message: 'Unexpected error of the service',
    meaning: 'Unexpected error; see the server log.',
    remedy: 'Report it. For a plant, the id makes it safe to send the same request again.',
  },
  method_unknown: {
    number: 50101,
    message: 'Unknown HTTP method: methods are case-sensitive',
    meaning: 'No path supports this method.',
    remedy: 'Use a method that the description has, in upper case.',
  },
  version_unsupported: {
    number: 50501,
    message: 'Unsupported HTTP version: use HTTP/1.1',
    meaning: 'The request has another HTTP version than 1.0 and 1.1.',
    remedy: 'Configure the client or the proxy to use HTTP/1.1.',
  },
  store_busy: {
    number: numbers.storeBusy,
    message: 'The store is busy: retry after the seconds in Retry-After',
    meaning:
      'Too many such requests are waiting or running, the write-ahead log is full, or the change log does not have all changes of a large import yet. Nothing was written for this request, except rows of an import that the message names.',
    remedy: 'Send the same request again after Retry-After.',
  },
  store_full: {
    number: numbers.storeFull,
    message: 'Cannot store now: no space is left',
    meaning:
      'The disk of the service or of its database is full, or in a sandbox the space of the token. Reads still work; writes resume automatically when space is available.',
    remedy:
      'Free some space on the disk, then send the same request again. In a sandbox, begin again with `Prefer: reset`.',
  },
  store_failed: {
    number: 50303,
    message: 'The store failed; what was to be written may or may not be stored',
    meaning: 'The disk or the database failed; what the request was to write may or may not be stored.',
    remedy: 'Send the same request again; for a plant, the id makes that safe.',
  },
  store_unavailable: {
    number: numbers.storeUnavailable,
    message: 'The database cannot be reached now',
    meaning:
      'The database, or one of its files, cannot be used at the moment. Nothing was written for this request, except rows of an import that the message names.',
    remedy: 'Send the same request again after Retry-After.',
  },
  issuer_unavailable: {
    number: 50306,
    message: 'The token cannot be checked now: the OpenID provider does not respond',
    meaning: 'The token is a JWT, and the service has not read the keys of the OpenID provider yet.',
    remedy: 'Send the same request again after Retry-After. The log of the service has the reason.',
  },
  shutting_down: {
    number: numbers.shuttingDown,
    message: 'The service is shutting down',
    meaning: 'The service finishes the requests in progress before it stops or restarts.',
    remedy: 'Send the same request again after Retry-After.',
  },
} as const satisfies Record<string, ErrorEntry>;

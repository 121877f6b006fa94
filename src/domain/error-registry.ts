/**
 * The registry of every error the service can answer: the only place where a number or a message is written.
 * The description's examples, docs/reference/errors.md and the tests are held against it in both directions.
 * How an error becomes bytes is not decided here: http/reply.ts does that.
 */

/** One registry entry. */
export interface ErrorEntry {
  /** Status x 100 + n, int32, stable for ever. */
  readonly number: number;
  /** What could not be done, and the wanted state; goes out as `message`, sometimes followed by a detail. */
  readonly message: string;
  /** When it is answered, for the reference page. */
  readonly meaning: string;
  /** What the caller can do, for the reference page. */
  readonly remedy: string;
}

export const errors = {
  request_malformed: {
    number: 40001,
    message: 'Cannot read request: it is not well-formed HTTP/1.1',
    meaning:
      'The request line, a header field, the Host field or the framing of the body breaks the rules of HTTP/1.1.',
    remedy: 'Send the request with an HTTP client library, or mend the bytes by RFC 9112.',
  },
  credentials_misplaced: {
    number: 40002,
    message:
      'Cannot authenticate: send one token, in the Authorization header field; a query or a form body is no place for it',
    meaning: 'The request has two Authorization fields, or carries its token in the query or in a form body.',
    remedy: 'Send the token once, as "Authorization: Bearer TOKEN". A token that was sent in a URL should be revoked.',
  },
  body_missing: {
    number: 40003,
    message: 'Cannot read body: the operation needs one, and the request has none',
    meaning: 'The request has no body, or an empty one.',
    remedy: 'Send the body that the description of the operation shows.',
  },
  body_not_utf8: {
    number: 40004,
    message: 'Cannot read body: it must be UTF-8 without errors',
    meaning: 'The bytes of the body are not valid UTF-8 (RFC 8259, section 8.1).',
    remedy: 'Encode the body as UTF-8.',
  },
  json_malformed: {
    number: 40005,
    message: 'Cannot read body: it must be one JSON value',
    meaning: 'The body breaks the grammar of JSON (RFC 8259), or begins with a byte order mark.',
    remedy: 'Write the body with a JSON library; the message names the position of the first fault.',
  },
  json_member_duplicate: {
    number: 40006,
    message: 'Cannot read body: a JSON object must not name a member twice',
    meaning:
      'An object of the body names one member twice, perhaps once with \\u escapes; two readers could see two different plants.',
    remedy: 'Send each member once.',
  },
  json_surrogate_unpaired: {
    number: 40007,
    message: 'Cannot read body: a \\u escape is half of a surrogate pair',
    meaning:
      'A string of the body holds an unpaired surrogate (U+D800 to U+DFFF), which is no Unicode text and cannot be stored exactly.',
    remedy: 'Escape characters beyond U+FFFF as a pair of escapes, or send them as UTF-8.',
  },
  json_too_deep: {
    number: 40008,
    message: 'Cannot read body: JSON may be nested at most 32 levels deep',
    meaning: 'Arrays and objects of the body are nested more than 32 levels deep.',
    remedy: 'Send the plant alone; its own depth is 1.',
  },
  text_nul: {
    number: 40009,
    message: 'Cannot store plant: "name" and "tag" must not hold the character U+0000',
    meaning: 'A text holds U+0000, which not every store can keep.',
    remedy: 'Remove the character.',
  },
  plant_invalid: {
    number: 40010,
    message: 'Cannot store plant: the body does not fit its schema',
    meaning: 'The body is JSON, but a member is missing, has another type, or is longer than the description allows.',
    remedy: 'Mend the member that the message names.',
  },
  plant_id_invalid: {
    number: 40011,
    message: 'Cannot store plant: "id" must be an integer from -9223372036854775808 to 9223372036854775807',
    meaning:
      'The member "id" is not a JSON number, not an integer, out of the range of int64, or longer than 40 characters.',
    remedy: 'Send the id as a JSON number such as 7; a string is not taken.',
  },
  path_id_invalid: {
    number: 40012,
    message:
      'Cannot find plant: the id in the path must be an integer from -9223372036854775808 to 9223372036854775807',
    meaning: 'The last part of the path is not the digits of an int64, without sign + and without leading zeros.',
    remedy: 'Write the id in digits, as in /plants/7.',
  },
  query_invalid: {
    number: 40013,
    message: 'Cannot read query: a parameter has a value that the description does not allow',
    meaning: 'A query parameter is out of its range, given twice, or a cursor that the service did not make.',
    remedy: 'Mend the parameter that the message names; take cursors from the Link field as they are.',
  },
  condition_invalid: {
    number: 40014,
    message: 'Cannot read condition: If-Match and If-None-Match take * or a list of entity tags',
    meaning: 'If-Match or If-None-Match breaks the grammar of RFC 9110, section 13.1.',
    remedy: 'Send the ETag of an earlier answer as it is, quotes included.',
  },
  csv_malformed: {
    number: 40015,
    message: 'Cannot read row: it must be CSV with as many fields as the header line',
    meaning: 'A row of an import breaks RFC 4180, or has too few or too many fields.',
    remedy: 'Mend the row; fields that hold a comma, a quote or a line break stand in quotes.',
  },
  csv_header_invalid: {
    number: 40016,
    message: 'Cannot read CSV: its first line must name the columns "id" and "name", and may name "tag"',
    meaning: 'The header line of an import lacks a column, names one twice, or is missing.',
    remedy: 'Begin the file with the line id,name,tag.',
  },
  row_too_long: {
    number: 40017,
    message: 'Cannot read row: it must be at most 65,536 bytes long',
    meaning: 'A row of an import is longer than any plant; often a quote that is never closed.',
    remedy: 'Mend the row.',
  },
  token_missing: {
    number: 40101,
    message: 'Cannot authenticate: send a token as "Authorization: Bearer TOKEN"',
    meaning: 'The request has no Authorization field, or one of another scheme than Bearer.',
    remedy: 'Send a token. The first one is in the file "initial-token" of the data folder.',
  },
  token_invalid: {
    number: 40102,
    message: 'Cannot authenticate: the token is not valid',
    meaning: 'The token is malformed, unknown, expired or revoked; which of these is not told.',
    remedy: 'Use another token, or make one with "plant-store token create".',
  },
  scope_missing: {
    number: 40301,
    message: 'Cannot do this: the token lacks the scope that the operation needs',
    meaning: 'The token is valid, but was made without the scope named in WWW-Authenticate.',
    remedy: 'Use a token that has the scope.',
  },
  path_unknown: {
    number: 40401,
    message: 'Cannot find anything at this path',
    meaning:
      'No operation has this path. Paths are case-sensitive, have no trailing slash, and begin with the base path.',
    remedy: 'Compare the path with the description at /openapi.json.',
  },
  plant_unknown: {
    number: 40402,
    message: 'Cannot find plant: no plant has this id',
    meaning: 'No plant is stored with the id in the path.',
    remedy: 'Compare the id with the list at /plants.',
  },
  method_not_allowed: {
    number: 40501,
    message: 'Cannot use this method here: the Allow header field lists those that can be used',
    meaning: 'The path exists, the method does not.',
    remedy: 'Use a method that the Allow field lists.',
  },
  not_acceptable: {
    number: 40601,
    message: 'Cannot answer: the Accept header field excludes every media type that the operation can answer with',
    meaning: 'The Accept field leaves no media type of the operation; nothing was written.',
    remedy: 'Add application/json or */* to Accept, or leave the field out.',
  },
  request_timeout: {
    number: 40801,
    message: 'Cannot wait any longer: the request did not arrive whole in time',
    meaning:
      'The header section took longer than 10 seconds, or the whole request longer than 30 seconds (both can be configured).',
    remedy: 'Send the request again, faster.',
  },
  plant_id_taken: {
    number: 40901,
    message: 'Cannot store plant: its id belongs to another plant',
    meaning: 'A plant with this id is stored, and its name or tag differs.',
    remedy: 'Choose another id, or change the stored plant with PUT.',
  },
  precondition_failed: {
    number: 41201,
    message: 'Cannot change plant: it is not in the state that the condition names',
    meaning:
      'If-Match names another version than the stored one, or If-None-Match names the stored one; nothing is changed.',
    remedy: 'Read the plant again, decide again, and send its new ETag.',
  },
  body_too_large: {
    number: 41301,
    message: 'Cannot read body: it is too large',
    meaning:
      'The body is longer than 65,536 bytes (can be configured), or its chunk extensions are longer than 16 KiB.',
    remedy: 'Send a smaller body; a plant of the longest name and tag fits.',
  },
  media_type_unsupported: {
    number: 41501,
    message: 'Cannot read body: its media type is not one that the operation takes',
    meaning:
      'Content-Type is missing, doubled, of another type than the operation takes, or names a charset other than utf-8.',
    remedy: 'Send the media type that the Accept field of the answer names.',
  },
  content_encoding_unsupported: {
    number: 41502,
    message: 'Cannot read body: send it without Content-Encoding',
    meaning:
      'The body is compressed; the service takes identity only, as the Accept-Encoding field of the answer says.',
    remedy: 'Send the body uncompressed.',
  },
  expectation_unsupported: {
    number: 41701,
    message: 'Cannot meet the Expect header field: only 100-continue is known',
    meaning: 'The Expect field holds something other than 100-continue.',
    remedy: 'Leave the field out.',
  },
  rate_limited: {
    number: 42901,
    message: 'Cannot take more requests with this token now: wait for the seconds in Retry-After',
    meaning: 'The token has used up its rate limit.',
    remedy: 'Send the same request again after Retry-After.',
  },
  headers_too_large: {
    number: 43101,
    message: 'Cannot read request: its header section is too large',
    meaning: 'The request line and header fields together are longer than 16 KiB, or there are more than 100 fields.',
    remedy: 'Send fewer or shorter header fields.',
  },
  internal: {
    number: 50001,
    message: 'Cannot answer: the service failed',
    meaning: 'A fault of the service; its log has the cause.',
    remedy: 'Report it. Sending the same request again is safe.',
  },
  store_busy: {
    number: 50301,
    message: 'Cannot take the request now: the store is busy',
    meaning:
      'The bounded queue of waiting writes is full, its log cannot be emptied yet, or too many exports run; nothing was written for this request.',
    remedy: 'Send the same request again after Retry-After.',
  },
  store_full: {
    number: 50302,
    message: 'Cannot store now: the disk is full',
    meaning:
      'The disk of the service or of its database is full. Reads still work; writes resume automatically when space is available.',
    remedy: 'Free some space on the disk, then send the same request again.',
  },
  store_failed: {
    number: 50303,
    message: 'Cannot say whether the write was stored: the store failed',
    meaning: 'The disk or the database failed during the commit; the plant may or may not be stored.',
    remedy: 'Send the same request again: the id makes that safe.',
  },
  store_unavailable: {
    number: 50305,
    message: 'Cannot reach the database now; nothing was written',
    meaning: 'The database, or a file of it, cannot be used for the moment; nothing was written for this request.',
    remedy: 'Send the same request again after Retry-After.',
  },
  shutting_down: {
    number: 50304,
    message: 'Cannot take requests: the service is shutting down',
    meaning: 'The service drains before it stops or restarts.',
    remedy: 'Send the same request again after Retry-After.',
  },
} as const satisfies Record<string, ErrorEntry>;

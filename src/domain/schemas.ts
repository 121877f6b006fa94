/** Generated from openapi.yaml by `npm run generate`. Do not edit. */

/** A plant without its identification number, as an answer shows it. */
export interface Plant {
  /**
   * The name of the plant: any Unicode text without U+0000, 0 to 1000 code points. A text with an unpaired surrogate
   * (half of a `\u` escape pair) is no Unicode text, and is refused.
   */
  readonly name: string;
  /**
   * Tag that specifies the type; absent is different from "". Any Unicode text without U+0000, 0 to 1000 code points;
   * unpaired surrogates are refused.
   */
  readonly tag?: string;
}

/** A plant with its identification number, as a request sends it. */
export interface NewPlant extends Plant {
  /**
   * Identification number of the plant: any int64. Any JSON number that is an integer in this range is taken, however
   * it is spelled (`7`, `7.0`, `70e-1`), up to 40 characters; a string is not.
   */
  readonly id: bigint;
}

/** A plant with its identification number, as an answer shows it. */
export interface StoredPlant extends Plant {
  /** Identification number of the plant: any int64, in digits. */
  readonly id: bigint;
}

/** What to change of a plant (JSON Merge Patch, RFC 7396). A member that is left out stays as it is. */
export interface PlantPatch {
  /** The new name of the plant, as in Plant. It cannot be removed. */
  readonly name?: string;
  /** The new tag, as in Plant; null removes it. */
  readonly tag?: string | null;
}

/** A tag, and how many plants have it. */
export interface TagCount {
  /** The tag, exactly as the plants have it; it may be empty. */
  readonly tag: string;
  /** The number of plants that have this tag. */
  readonly plants: bigint;
}

/** What became of the rows of an import. All rows read are created, unchanged, replaced, skipped or refused. */
export interface ImportReport {
  /** Rows of the body. */
  readonly read: bigint;
  /** New plants. */
  readonly created: bigint;
  /** Rows equal to the stored plant. */
  readonly unchanged: bigint;
  /** Stored plants that a row replaced. */
  readonly replaced: bigint;
  /** Rows left out, because their id belongs to another plant. */
  readonly skipped: bigint;
  /** Rows that could not be stored. */
  readonly refused: bigint;
  /** The first 1,000 refused rows, in the order of the body. */
  readonly errors: readonly ImportFault[];
}

/** Why a row of an import was refused. */
export interface ImportFault {
  /** The line of the body on which the row begins; the first is 1. */
  readonly line: bigint;
  /** Numeric error value, int32, as in Error. */
  readonly error: number;
  /** Error message text. */
  readonly message: string;
}

/** A condition on versions. `*`, or entity tags separated by commas, each as an ETag field gave it. */
export type VersionList = string;

/** The body of every answer that is not a success. */
export interface ErrorBody {
  /** Numeric error value, int32: the status x 100 + n. */
  readonly error: number;
  /** Error message text. */
  readonly message: string;
}

/** What this service is, and where to go from here. Links are relative to the address of this answer. */
export interface Root {
  /** The name of the service. */
  readonly name: string;
  /** The version of the description. */
  readonly version: string;
  /** What the service does, in one sentence. */
  readonly description: string;
  /** Link to the documentation for people, where each operation can be tried. */
  readonly documentation: string;
  /** Link to the web console, where people keep their plants. */
  readonly console: string;
  /** Link to this description. */
  readonly openapi: string;
}

/** An OpenAPI description, version 3.1. */
export interface Description {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly Readonly<Record<string, unknown>>[];
  readonly paths: Readonly<Record<string, unknown>>;
}

/** Says that the process lives. */
export interface Liveness {
  readonly status: 'live';
}

/** Says that the service takes requests. */
export interface Readiness {
  readonly status: 'ready';
}

/** Parameters of listPlants. */
export interface ListPlantsParameters {
  /** Most plants of one page. */
  readonly limit: number;
  /** Where the page begins. Follow the Link field of the page before; what a cursor holds may change at any time. */
  readonly cursor?: string;
  /** Only plants with exactly this tag; `tag=` means the empty one. */
  readonly tag?: string;
  /**
   * Words, separated by spaces or punctuation. Only plants are returned whose name has, for each of them, a word that
   * begins with it; order, case and accents are ignored. Words are compared by their first 100 characters, and at most
   * 32 of them are used.
   */
  readonly name?: string;
}

/** Parameters of getPlant. */
export interface GetPlantParameters {
  /**
   * Identification number of the plant: the digits of an int64, without leading zeros, with a minus where it is
   * negative. Anything else is refused with error 40012.
   */
  readonly id: bigint;
  /**
   * Go on only if the stored plant has none of these entity tags; `*` means that there must be no plant (RFC 9110,
   * section 13.1.2).
   */
  readonly ifNoneMatch?: '*' | readonly string[];
}

/** Parameters of putPlant. */
export interface PutPlantParameters {
  /**
   * Identification number of the plant: the digits of an int64, without leading zeros, with a minus where it is
   * negative. Anything else is refused with error 40012.
   */
  readonly id: bigint;
  /**
   * Go on only if the stored plant has one of these entity tags; `*` means any. A weak entity tag never fits (RFC 9110,
   * section 13.1.1).
   */
  readonly ifMatch?: '*' | readonly string[];
  /**
   * Go on only if the stored plant has none of these entity tags; `*` means that there must be no plant (RFC 9110,
   * section 13.1.2).
   */
  readonly ifNoneMatch?: '*' | readonly string[];
}

/** Parameters of patchPlant. */
export interface PatchPlantParameters {
  /**
   * Identification number of the plant: the digits of an int64, without leading zeros, with a minus where it is
   * negative. Anything else is refused with error 40012.
   */
  readonly id: bigint;
  /**
   * Go on only if the stored plant has one of these entity tags; `*` means any. A weak entity tag never fits (RFC 9110,
   * section 13.1.1).
   */
  readonly ifMatch?: '*' | readonly string[];
  /**
   * Go on only if the stored plant has none of these entity tags; `*` means that there must be no plant (RFC 9110,
   * section 13.1.2).
   */
  readonly ifNoneMatch?: '*' | readonly string[];
}

/** Parameters of deletePlant. */
export interface DeletePlantParameters {
  /**
   * Identification number of the plant: the digits of an int64, without leading zeros, with a minus where it is
   * negative. Anything else is refused with error 40012.
   */
  readonly id: bigint;
  /**
   * Go on only if the stored plant has one of these entity tags; `*` means any. A weak entity tag never fits (RFC 9110,
   * section 13.1.1).
   */
  readonly ifMatch?: '*' | readonly string[];
  /**
   * Go on only if the stored plant has none of these entity tags; `*` means that there must be no plant (RFC 9110,
   * section 13.1.2).
   */
  readonly ifNoneMatch?: '*' | readonly string[];
}

/** Parameters of exportPlants. */
export interface ExportPlantsParameters {
  /** Only plants with exactly this tag; `tag=` means the empty one. */
  readonly tag?: string;
  /**
   * Words, separated by spaces or punctuation. Only plants are returned whose name has, for each of them, a word that
   * begins with it; order, case and accents are ignored. Words are compared by their first 100 characters, and at most
   * 32 of them are used.
   */
  readonly name?: string;
}

/** Parameters of importPlants. */
export interface ImportPlantsParameters {
  /**
   * What becomes of a row whose id belongs to another plant: `fail` refuses and reports it (error 40901), `skip` keeps
   * the stored plant, `replace` replaces it.
   */
  readonly onConflict: 'fail' | 'skip' | 'replace';
  /** Whether to report only, and store nothing. */
  readonly dryRun: boolean;
}

/** Parameters of listTags. */
export interface ListTagsParameters {
  /** Most tags of one page. */
  readonly limit: number;
  /** Where the page begins. Follow the Link field of the page before; what a cursor holds may change at any time. */
  readonly cursor?: string;
  /** Only tags that begin with exactly these characters. */
  readonly prefix?: string;
}

/** What each operation takes: its parameters, its body or the rows of its body, and whether it needs no token. */
export interface Operations {
  readonly createPlant: { readonly body: NewPlant };
  readonly listPlants: { readonly parameters: ListPlantsParameters };
  readonly getPlant: { readonly parameters: GetPlantParameters };
  readonly putPlant: { readonly parameters: PutPlantParameters; readonly body: Plant };
  readonly patchPlant: { readonly parameters: PatchPlantParameters; readonly body: PlantPatch };
  readonly deletePlant: { readonly parameters: DeletePlantParameters };
  readonly exportPlants: { readonly parameters: ExportPlantsParameters };
  readonly importPlants: { readonly parameters: ImportPlantsParameters; readonly row: NewPlant };
  readonly listTags: { readonly parameters: ListTagsParameters };
  readonly getRoot: { readonly isPublic: true };
  readonly getDescriptionJson: { readonly isPublic: true };
  readonly getDescriptionYaml: { readonly isPublic: true };
  readonly getLiveness: { readonly isPublic: true };
  readonly getReadiness: { readonly isPublic: true };
}

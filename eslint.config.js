/** What a line of code may look like. What a file may import, and from where, is held by test/tidy.test.ts. */
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const banned = {
  defaultExport: {
    selector: 'ExportDefaultDeclaration, ExportSpecifier[exported.name="default"]',
    message: 'Export by name: a thing has one name everywhere.',
  },
  enum: { selector: 'TSEnumDeclaration', message: 'Write a union of strings: enums cannot be erased.' },
  errorNumber: {
    selector: 'Literal[raw=/^(4[0-3][0-9]|50[0-9])(0[1-9]|[1-9][0-9])$/]',
    message: 'Take the number of an error from src/domain/error-registry.ts, or error-numbers.ts.',
  },
  process: {
    name: 'node:process',
    // The versions of the runtime are constants.
    allowImportNames: ['versions'],
    message: 'Only src/main.ts touches the process.',
  },
  // A start loads them only if it needs them, and HTTP without its client (http/wire/node-http.ts).
  eagerImports: ['node:http', 'node:https', 'node:tls', 'ajv/dist/2020.js'].map((name) => ({
    name,
    allowTypeImports: true,
    message: 'Load it where it is used, by createRequire: it costs each start much.',
  })),
  importWithoutExtension: {
    selector:
      ':matches(ImportDeclaration, ExportNamedDeclaration, ExportAllDeclaration, ImportExpression)' +
      '[source.value=/^\\.{1,2}(\\u002F|$)(?!.*\\.(tsx?|css|json)$)/]',
    message: 'Name the file as it is on disk, ".ts" included: Node runs it without a resolver.',
  },
};

/** What replaces a clock: `t.mock.timers`, `t.mock.method(performance, 'now')`, `Date.now = …`. */
banned.clockMock = [
  'MemberExpression[property.name="timers"]:matches([object.name="mock"], [object.property.name="mock"])',
  'CallExpression[callee.property.name=/^(method|getter|property)$/][arguments.0.name=/^(performance|Date)$/]',
  'CallExpression[callee.property.name="method"][arguments.1.value=/^(set|clear)(Timeout|Interval|Immediate)$/]',
  'AssignmentExpression[left.object.name=/^(performance|Date)$/]',
  'AssignmentExpression[left.property.name=/^(Date|performance|(set|clear)(Timeout|Interval|Immediate))$/]',
].map((selector) => ({
  selector,
  message: 'Stop clocks with test/support/stop-clock.ts: it undoes it for the files after this one.',
}));

/** `after` of a suite whose tests are all filtered out never runs; within `before`, it runs at the end of that hook. */
banned.scopeOfSuite = {
  selector:
    ':matches(CallExpression[callee.name=/^before(Each)?$/],' +
    ' CallExpression[callee.name="describe"] > ArrowFunctionExpression > BlockStatement > VariableDeclaration)' +
    ' ObjectExpression[properties.length=1] > Property[key.name="after"]',
  message: 'Start it at the top of the file, or in a test.',
};

/** SQLite compiles a statement again when a limit that is a bare parameter changes: its planner reads the value. */
banned.boundLimit = ['Literal[value=', 'TemplateElement[value.raw='].map((node) => ({
  selector: String.raw`${node}/LIMIT \?(?!\d* \+ 0)/]`,
  message: 'Write LIMIT ? + 0: SQLite compiles the statement again for each other value of LIMIT ?.',
}));

const bannedSyntax = [banned.defaultExport, banned.enum, banned.importWithoutExtension];

export default defineConfig(
  // The last needs what generators write.
  globalIgnores(['dist/', 'console/dist/', 'console/dist-docs/', 'data/', 'tutorial/', 'test/judge/clients/drivers/']),
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      'no-duplicate-imports': ['error', { allowSeparateTypeImports: true }],
      'no-restricted-syntax': ['error', ...bannedSyntax],
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', package: 'node:test', name: ['describe', 'it', 'suite', 'test'] },
          ],
        },
      ],
      // Code points are the unit of the interface, and spreading a text is how they are counted.
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/parameter-properties': 'error',
      // An async function makes a rejection of what it throws, also where it awaits nothing.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    files: ['src/**/*.ts', 'console/**/*.ts', 'console/**/*.tsx'],
    rules: { 'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }] },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/no-restricted-imports': ['error', { paths: banned.eagerImports }],
    },
  },
  {
    files: ['src/**/*.ts', 'console/src/**/*.ts', 'console/src/**/*.tsx'],
    ignores: ['src/domain/error-registry.ts', 'src/domain/error-numbers.ts'],
    rules: { 'no-restricted-syntax': ['error', ...bannedSyntax, banned.errorNumber] },
  },
  {
    // Their browsers are those of scripts/page-config.ts; the types of the DOM are newer.
    files: ['src/client/**/*.ts', 'console/**/*.ts', 'console/**/*.tsx'],
    rules: {
      'no-restricted-properties': ['error', { object: 'URL', property: 'parse', message: 'Safari 17.5 lacks it.' }],
    },
  },
  {
    files: ['src/store/sqlite/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...bannedSyntax, banned.errorNumber, ...banned.boundLimit] },
  },
  {
    files: ['test/**/*.ts'],
    ignores: ['test/support/stop-clock.ts'],
    rules: { 'no-restricted-syntax': ['error', ...bannedSyntax, ...banned.clockMock, banned.scopeOfSuite] },
  },
  {
    // Tables, one entry an error, an option or a schema; the last is generated.
    files: ['src/domain/error-registry.ts', 'src/config/options.ts', 'src/domain/schemas.ts'],
    rules: { 'max-lines': 'off' },
  },
  {
    // The process edge is one file; every other one is handed its streams, its environment and its exit.
    files: ['src/**/*.ts'],
    ignores: ['src/main.ts'],
    rules: {
      'no-console': 'error',
      'no-restricted-globals': ['error', { name: 'process', message: 'Only src/main.ts touches the process.' }],
      'no-restricted-imports': ['error', { paths: [banned.process, 'process'] }],
    },
  },
);

/** Extracts the facts that the tidy rules need from a TypeScript file, without types. */
import ts from 'typescript';

export interface SourceFacts {
  readonly lineCount: number;
  readonly opensWithDocComment: boolean;
  /** Their specifiers. */
  readonly imports: readonly string[];
  readonly exportedNames: readonly string[];
  readonly hasDefaultExport: boolean;
  /** Only re-exports other files. */
  readonly isBarrel: boolean;
  readonly touchesProcess: boolean;
  /** Has a variable that changes and outlasts every call. */
  readonly hasModuleLet: boolean;
}

export function readSourceFacts(path: string, text: string): SourceFacts {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const imports: string[] = [];
  const processNames: ts.Identifier[] = [];
  const visit = (node: ts.Node): void => {
    const found = toSpecifier(node);
    if (found !== undefined) imports.push(found);
    if (ts.isIdentifier(node) && node.text === 'process' && !isMemberName(node)) processNames.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  const exportedNames = source.statements.flatMap(toExportedNames);
  return {
    lineCount: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
    opensWithDocComment: /^(#!.*\n)?\/\*\*/.test(text),
    imports,
    exportedNames,
    hasDefaultExport: exportedNames.includes('default'),
    isBarrel: source.statements.length > 0 && source.statements.every(isHandingOn),
    touchesProcess: processNames.length > 0 || source.statements.some(importsProcess),
    hasModuleLet: source.statements.some(isLet),
  };
}

function isLet(node: ts.Statement): boolean {
  return ts.isVariableStatement(node) && (node.declarationList.flags & ts.NodeFlags.Let) !== 0;
}

/** Importing only `versions`, which is constant, does not count. */
function importsProcess(node: ts.Statement): boolean {
  if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) return false;
  if (!/^(node:)?process$/.test(node.moduleSpecifier.text)) return false;
  const bindings = node.importClause?.namedBindings;
  const isVersions =
    bindings !== undefined &&
    ts.isNamedImports(bindings) &&
    bindings.elements.every(({ name, propertyName }) => (propertyName ?? name).text === 'versions');
  return !isVersions || node.importClause?.name !== undefined;
}

/**
 * Finds the specifier of static and dynamic imports, `export … from`, and `import('…').Name` in
 * types.
 */
function toSpecifier(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return toText(node.moduleSpecifier);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return toText(node.arguments[0]);
  return ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) ? toText(node.argument.literal) : undefined;
}

function toText(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}

/** Returns true for `x.process` and `{ process: 1 }`, which are not the global. */
function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) {
    return !(ts.isIdentifier(parent.expression) && parent.expression.text === 'globalThis');
  }
  return (
    (ts.isPropertyAssignment(parent) ||
      ts.isPropertySignature(parent) ||
      ts.isPropertyDeclaration(parent) ||
      ts.isMethodSignature(parent) ||
      ts.isMethodDeclaration(parent)) &&
    parent.name === node
  );
}

function isHandingOn(statement: ts.Statement): boolean {
  return ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined;
}

function toExportedNames(statement: ts.Statement): string[] {
  if (ts.isExportAssignment(statement)) return ['default'];
  if (ts.isExportDeclaration(statement)) {
    const clause = statement.exportClause;
    if (clause === undefined) return [];
    return ts.isNamedExports(clause) ? clause.elements.map((element) => element.name.text) : [clause.name.text];
  }
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  const has = (kind: ts.SyntaxKind): boolean => modifiers.some((modifier) => modifier.kind === kind);
  if (!has(ts.SyntaxKind.ExportKeyword)) return [];
  if (has(ts.SyntaxKind.DefaultKeyword)) return ['default'];
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  }
  const { name } = statement as ts.Statement & { readonly name?: ts.Node };
  return name !== undefined && ts.isIdentifier(name) ? [name.text] : [];
}

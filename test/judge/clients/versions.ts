/** The versions of all that is fetched: of the generators, and of what their code needs where it does not say so itself. */
export const versions = {
  openapiGenerator: '7.25.0',
  openapiPythonClient: '0.29.1',
  oapiCodegen: '2.8.2',
  oapiCodegenRuntime: '1.9.0',
  oapiCodegenNullable: '1.2.0',
  ogen: '1.24.0',
  goValidator: '2.0.1',
  typescript: '6.0.3',
  tsx: '4.23.15',
  nodeTypes: '26.6.6',
  openapiTypescript: '7.13.0',
  openapiFetch: '0.17.0',
  heyApi: '0.99.0',
  orval: '8.38.0',
  kubb: '4.39.3',
  kotlin: '2.4.0',
  moshi: '1.15.2',
  okhttp: '5.4.0',
  tokio: '1.54.1',
  reqwest: '0.13.5',
  serdeJson: '1.0.154',
};

/** Where the projects of the generators keep their reports. */
export const issues = {
  openapiGenerator: 'https://github.com/OpenAPITools/openapi-generator/issues',
  openapiPythonClient: 'https://github.com/openapi-generators/openapi-python-client/issues',
};

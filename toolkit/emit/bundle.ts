import type { OpenApiDocument } from '../contract/openapi-document.ts';
import type { Contract } from '../contract/read-contract.ts';
import { chooseByValue } from '../published/choose-by-value.ts';
import { addCodeSamples } from '../published/code-samples.ts';
import { addErrorCatalogue } from '../published/error-catalogue.ts';
import type { Header } from './header.ts';

/** `contract.gen.json`: the bundled contract in the order of its source, the header as root member `x-generated`. */
export function emitBundle({ document }: Contract, header: Header): string {
  return formatDocument(document, header);
}

/**
 * `published.gen.json`: the contract for readers and tools. Extensions that a schema can express are written as schemas. Each operation has code
 * samples, each error code its cause and fix. The runtime reads the bundle instead, since it knows the extensions.
 */
export function emitPublished({ plain }: Contract, header: Header): string {
  return formatDocument(addErrorCatalogue(addCodeSamples(chooseByValue(plain))), header);
}

function formatDocument(document: OpenApiDocument, header: Header): string {
  const { openapi, ...rest } = document;
  return `${JSON.stringify({ openapi, 'x-generated': header, ...rest }, null, 2)}\n`;
}

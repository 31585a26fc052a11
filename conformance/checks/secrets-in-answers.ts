import type { Contract } from '../contract/contract.ts';
import type { NumberedExchange } from '../execute/exchange.ts';
import { type AnnotatedValue, annotatedValues } from '../schema/annotated-values.ts';
import { answerOf } from './answer-of.ts';

/** Parts of an answer with what the contract says about each; nothing for an answer without JSON or schema. */
export function annotatedAnswer(contract: Contract, exchange: NumberedExchange): AnnotatedValue[] {
  const { response } = answerOf(exchange) ?? {};
  const schema = response?.contents.find((content) => content.schema !== undefined)?.schema;
  if (schema === undefined || exchange.seen.responseBody === undefined) return [];
  return [...annotatedValues(contract.root, schema, exchange.seen.responseBody)];
}

// The pages for account owners: functions from data to HTML, without request, store or clock.
export { chooseLanguage, type LanguageWishes } from './choose-language.ts';
export { contentPolicy } from './content-policy.ts';
export { type Language, languages } from './messages/catalogues.ts';
export { type AppsNotice, type AppsPage, type ConnectedApp, renderApps } from './render-apps.ts';
export { type ConsentPage, renderConsent } from './render-consent.ts';
export { type LoginFault, type LoginField, type LoginNotice, type LoginPage, renderLogin } from './render-login.ts';
export { type Problem, type ProblemPage, renderProblem } from './render-problem.ts';
export { styleHash } from './style.ts';

import helmet from 'helmet';

/**
 * Security headers of every answer, errors too. Answers of the API are data, so a browser may load and frame nothing from them;
 * pages (docs, login) send a policy of their own in its place. `form-action` stays out of the default: it would also stop the
 * redirect to a partner's callback that follows the login form.
 */
export const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'base-uri': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
});

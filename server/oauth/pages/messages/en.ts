import { contractScopes } from '../scope-groups.ts';

/** The source language: every translation has the same keys and placeholders. */
export const en = {
  texts: {
    service: 'Smart-Lock Access',

    'login.title': 'Log in',
    'login.client': '{client} asks for access to your locks.',
    'login.secrecy': 'Log in to continue. Your password stays here: the application never sees it.',
    'login.apps': 'See which applications may use your locks, and disconnect them.',
    'login.email': 'E-mail',
    'login.password': 'Password',
    'login.submit': 'Log in',
    'login.cancel': 'Cancel',
    'login.forgotten': 'Forgotten your password? The operator of this service can set a new one.',

    'fault.wrong.title': 'Wrong e-mail or password',
    'fault.wrong': 'E-mail or password is wrong.',
    'fault.email.title': 'E-mail missing',
    'fault.email': 'Enter your e-mail.',
    'fault.password.title': 'Password missing',
    'fault.password': 'Enter your password.',
    'fault.throttled.title': 'Too many attempts',
    'fault.throttled': 'Too many attempts. Try again in {wait}.',
    'fault.disabled.title': 'Login disabled',
    'fault.disabled': 'This login is disabled. The operator of this service can tell you why.',
    'fault.busy.title': 'Busy',
    'fault.busy': 'Many people are logging in at this moment. Try again in {wait}.',

    'consent.title': 'Allow access',
    'consent.heading': 'Allow {client} to use your locks?',
    'consent.account': 'Account',
    'consent.owner': 'Logged in as',
    'consent.other': 'Not you? Log in as somebody else',
    'consent.callback': 'You return to',
    'consent.lifetime': 'Access lasts',
    'consent.until': '{days}, until {date}',
    'consent.scopes': 'Permissions',
    'consent.revoke': 'You can disconnect the application at any time:',
    'consent.codes':
      'The application then loses access at once. Codes that it has created stay valid: each until its end, a permanent code until it is deleted at the lock.',
    'consent.tab': 'opens in a new tab',
    'consent.allow': 'Allow',
    'consent.deny': 'Deny',

    'apps.title': 'Connected applications',
    'apps.owner': 'Logged in as',
    'apps.intro': 'You have allowed these applications to use the locks of {account}.',
    'apps.none': 'No application is connected',
    'apps.none.text': 'Applications that you allow to use the locks of {account} will be listed here.',
    'apps.since': 'Connected on {date}',
    'apps.until': 'Access until {date}',
    'apps.scopes': 'Permissions',
    'apps.disconnect': 'Disconnect',
    'apps.codes':
      'A disconnected application loses access at once. Codes that it has created stay valid: each until its end, a permanent code until it is deleted at the lock.',
    'apps.log-out': 'Log out',
    'apps.everywhere': 'Log out everywhere',
    'apps.everywhere.text':
      'This logs you out of every browser and disconnects all applications that you have allowed. Each has to ask you again.',

    'notice.disconnected.title': 'Disconnected',
    'notice.disconnected': '{client} is disconnected.',
    'notice.not-connected.title': 'Already disconnected',
    'notice.not-connected': 'This application was no longer connected.',
    'notice.form-expired.title': 'Nothing changed',
    'notice.form-expired': 'This page was out of date, so nothing was changed. Please try again.',
    'notice.logged-out.title': 'Logged out',
    'notice.logged-out': 'You are logged out.',
    'notice.logged-out-everywhere.title': 'Logged out everywhere',
    'notice.logged-out-everywhere': 'You are logged out in every browser, and all applications are disconnected.',
    'notice.session-ended.title': 'Login ended',
    'notice.session-ended': 'Your login has ended. Please log in again.',

    'problem.login-ended': 'This login has ended',
    'problem.login-ended.text':
      'It is finished, took too long, or was continued in another tab. Go back to the application to start again.',
    'problem.no-cookies': 'Your browser keeps no cookies here',
    'problem.no-cookies.text':
      'Without cookies, the next page cannot recognize you. Allow cookies for this site, then start again.',
    'problem.unknown-client': 'Unknown application',
    'problem.unknown-client.text':
      'The application that sent you here is not registered with this service. Please inform its operator.',
    'problem.unregistered-callback': 'The return address is not registered',
    'problem.unregistered-callback.text':
      'The application wants you to return to an address that is not registered for it. The login stops here, so that nobody else gets your answer. Please inform the operator of the application.',
    'problem.invalid-request': 'This login could not start',
    'problem.invalid-request.text':
      'The application sent you here with a request that this service does not understand. Please inform its operator.',
    'problem.cross-site': 'This form came from another site',
    'problem.cross-site.text': 'Nothing was changed. Open the page yourself and try again.',
    'problem.not-found': 'There is no such page',
    'problem.not-found.text': 'The address is mistyped, or the page is no longer there.',
    'problem.busy': 'Busy at the moment',
    'problem.busy.text': 'Try again in {wait}.',
    'problem.internal': 'Something went wrong',
    'problem.internal.text':
      'The fault is on our side. Try again; if it persists, send the operator the request id below.',
    'problem.error': 'Error',
    'problem.request': 'Request',
  },
  groups: {
    doors: ['Doors', 'Takes effect at once, without a code, even if you are not there.'],
    codes: [
      'Codes',
      'Anyone with a code can open the lock at its keypad. An algoPIN is a code that cannot be revoked remotely.',
    ],
    devices: ['Devices and properties', 'Your locks, keypads and bridges, and where they are.'],
    activity: ['Activity', 'Who opened which lock, how and when.'],
    person: ['You', 'Shows the application which owner has logged in.'],
    others: ['Other permissions', 'Not described here: these are their technical names.'],
  },
  scopes: contractScopes,
} as const;

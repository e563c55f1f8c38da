/** Texts of Gatebook's own emails. Placeholders must be the same in every language. */
export const english = {
  greeting: 'Hi{{#if userDisplayName}} {{ userDisplayName }}{{/if}},',
  email_verification: {
    subject: 'Verify your email address for {{ projectDisplayName }}',
    heading: 'Verify your email address',
    text: 'Please confirm that this email address belongs to your **{{ projectDisplayName }}** account.',
    button: 'Verify email address',
    note: 'This link can be used once and expires in 7 days. If you didn’t request this, you can ignore this email.',
  },
  password_reset: {
    subject: 'Reset your password for {{ projectDisplayName }}',
    heading: 'Reset your password',
    text: 'We received a request to reset the password of your **{{ projectDisplayName }}** account.',
    button: 'Reset password',
    note: 'This link can be used once and expires in 7 days. If you didn’t request this, you can ignore this email. Your password won’t change.',
  },
  magic_link: {
    subject: '{{ otp }} is your sign-in code for {{ projectDisplayName }}',
    heading: 'Sign in to {{ projectDisplayName }}',
    code: 'Enter this code on the sign-in page:',
    link: 'Or open this link on the device where you want to sign in:',
    button: 'Sign in',
    note: 'Code and link can be used once and expire in 7 days. If you didn’t request them, you can ignore this email.',
  },
  team_invitation: {
    subject: 'You’re invited to join {{ teamDisplayName }}',
    heading: 'Join {{ teamDisplayName }}',
    text: 'You’ve been invited to join the team **{{ teamDisplayName }}** on {{ projectDisplayName }}.',
    button: 'View invitation',
    note: 'This link can be used once and expires in 7 days. If you don’t know this team, you can ignore this email.',
  },
  sign_in_invitation: {
    subject: 'You’re invited to {{ projectDisplayName }}',
    heading: 'Sign in to {{ projectDisplayName }}',
    text: 'You’ve been invited to **{{ projectDisplayName }}**. Sign in with this email address.',
    button: 'Sign in',
    note: 'If you don’t know {{ projectDisplayName }}, you can ignore this email.',
  },
  project_invitation: {
    subject: 'You’re invited to administer {{ projectDisplayName }}',
    heading: 'Administer {{ projectDisplayName }}',
    text: 'You’ve been invited to the project **{{ projectDisplayName }}** with the role **{{ roleName }}**.',
    /** Follows the text. */
    transfer: 'When you accept, you take the project over from the person who invited you.',
    button: 'View invitation',
    note: 'This link can be used once and expires in 7 days. If you don’t know this project, you can ignore this email.',
  },
  webhook_failing: {
    subject: 'Webhooks of {{ projectDisplayName }} are failing',
    disabledSubject: 'Webhooks of {{ projectDisplayName }} were disabled',
    heading: 'Webhooks to {{ webhookHost }}',
    failing:
      'For a day, {{ webhookHost }} has not accepted any event of **{{ projectDisplayName }}**. After five days, its webhook endpoint will be disabled.',
    disabledAsFailing:
      'For five days, {{ webhookHost }} has not accepted any event of **{{ projectDisplayName }}**. Its webhook endpoint was disabled.',
    disabledAsGone:
      '{{ webhookHost }} answered that it no longer takes events of **{{ projectDisplayName }}** (status 410). Its webhook endpoint was disabled.',
    button: 'View deliveries',
    note: 'No event is lost: the endpoint continues where it stopped, and you can send failed events again.',
  },
  api_key_revoked: {
    subject: 'Your API key for {{ projectDisplayName }} was revoked',
    heading: 'Your API key was revoked',
    text: 'The API key {{#if keyDescription}}**{{ keyDescription }}** {{/if}}ending in **{{ keyLastFour }}** was exposed to others, so it was revoked and no longer works with {{ projectDisplayName }}.',
    advice: 'Create a new key, and check how this one was used.',
    note: 'You received this email because you can manage this API key.',
  },
  security_notice: {
    heading: 'Your account was changed',
    /** The changes follow. */
    text: 'On {{ happenedAt }}, your **{{ projectDisplayName }}** account was changed:',
    otherSubject: 'The sign-in methods of your {{ projectDisplayName }} account changed',
  },
  /** The subject of a security notice names the first of these changes that happened. */
  changeSubjects: {
    passwordChanged: 'Your password for {{ projectDisplayName }} was changed',
    passwordRemoved: 'Your password for {{ projectDisplayName }} was removed',
    secondFactorOff: 'Two-factor authentication was turned off for {{ projectDisplayName }}',
    secondFactorOn: 'Two-factor authentication was turned on for {{ projectDisplayName }}',
    newPrimaryEmail: 'Your email address for {{ projectDisplayName }} was changed',
    addedEmail: 'An email address was added to your {{ projectDisplayName }} account',
    passkeyAdded: 'A passkey was added to your {{ projectDisplayName }} account',
  },
  /** The body lists all changes: one command can change several things. */
  changes: {
    passwordChanged: 'Your password was changed.',
    passwordRemoved: 'Your password was removed.',
    secondFactorOn: 'Two-factor authentication was turned on.',
    secondFactorOff: 'Two-factor authentication was turned off.',
    passkeyAdded: 'A passkey was added.',
    passkeyRemoved: 'A passkey was removed.',
    addedEmail: 'The email address {{ addedEmail }} was added.',
    removedEmail: 'The email address {{ removedEmail }} was removed.',
    newPrimaryEmail: 'The primary email address is now {{ newPrimaryEmail }}.',
    linkedProvider: 'A {{ linkedProvider }} account was connected and can be used to sign in.',
  },
  new_device_sign_in: {
    subject: 'New sign-in to your {{ projectDisplayName }} account',
    heading: 'New sign-in to your account',
    text: 'Your **{{ projectDisplayName }}** account was used to sign in from a new device on {{ happenedAt }}{{#if deviceName}}: **{{ deviceName }}**{{/if}}{{#if ipAddress}}, IP address {{ ipAddress }}{{/if}}.',
  },
  report: {
    text: 'If this was you, no action is needed. If it wasn’t you, secure your account:',
    button: 'This wasn’t me',
    note: 'This link can be used once and expires in 7 days. After you confirm, it signs you out on all devices and emails you a link to choose a new password.',
  },
  /** The roles of members of a project. */
  roles: {
    read_only: 'read-only',
    support: 'support',
    developer: 'developer',
    owner: 'owner',
  },
};

export type EmailTexts = typeof english;

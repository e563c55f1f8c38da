import type { HandlerTexts } from '../handler/english-texts.tsx';

export const germanTexts: HandlerTexts = {
  setupTitle: 'Eigentümerkonto erstellen',
  setupLead: 'Dieser Server läuft und hat noch keinen Eigentümer.',
  setupLink:
    'Öffnen Sie den Einrichtungslink im Terminal, in dem Gatebook gestartet wurde. In einem Container steht er im Log. Er sieht so aus:',
  setupNewLink:
    'Der Link funktioniert einmal und einen Tag lang. Um einen neuen zu erhalten, starten Sie Gatebook neu: Dann wird der Link wieder ausgegeben.',
  unavailable: 'Die Anmeldung ist gerade nicht möglich',
  trialTitle: 'Sie können diese Anmeldung nicht ausprobieren',
  trialOfMembers: (
    <>
      Das können nur Mitglieder des Projekts. <a href="/projects">Melden Sie sich im Dashboard an</a>, und öffnen Sie
      die Seite dann noch einmal.
    </>
  ),
  trialNote: (origin, domainsHref) => (
    <>
      Sie probieren die Anmeldung dieses Projekts aus. Eine Registrierung erstellt darin einen Benutzer. Links und Codes
      aus E-Mails, Anbieter und Passkeys funktionieren, wenn {origin} eine seiner{' '}
      <a className="gbh-link" href={domainsHref}>
        Domains
      </a>{' '}
      ist.
    </>
  ),
};

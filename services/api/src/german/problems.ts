import { createTranslation } from './translate-text.ts';

/** What an operator must fix, by the English text; `{}` stands for a value. */
export const germanProblem = createTranslation({
  'The database does not respond. Check that Postgres is running and can be reached.':
    'Die Datenbank antwortet nicht. Prüfen Sie, ob Postgres läuft und erreichbar ist.',
  'The event log does not respond. Check that its server is running and can be reached.':
    'Das Ereignis-Log antwortet nicht. Prüfen Sie, ob sein Server läuft und erreichbar ist.',
  'Another session blocks appends to the event log. Find the session that holds the advisory lock on log.events in pg_locks, and end it.':
    'Eine andere Sitzung blockiert das Schreiben in das Ereignis-Log. Suchen Sie in pg_locks die Sitzung, die den Advisory Lock auf log.events hält, und beenden Sie sie.',
  'The database is read-only, so nothing can be written. Connect to the primary server.':
    'Die Datenbank ist schreibgeschützt, es kann also nichts geschrieben werden. Verbinden Sie sich mit dem primären Server.',
  'Queue {} does not respond. Check that Redis, or the database if it stores the queues, can be reached.':
    'Die Warteschlange {} antwortet nicht. Prüfen Sie, ob Redis erreichbar ist, oder die Datenbank, wenn sie die Warteschlangen speichert.',
  'The oldest job of queue {} has waited for {}. Read the logs of the workers and restart them.':
    'Der älteste Job der Warteschlange {} wartet seit {}. Lesen Sie die Logs der Worker, und starten Sie sie neu.',

  'Projection {} is being built for the first time. If its position does not rise, read the log of the process that builds it.':
    'Die Projektion {} wird zum ersten Mal aufgebaut. Wenn ihre Position nicht steigt, lesen Sie das Log des Prozesses, der sie aufbaut.',
  'Projection {} has processed events that the log has lost. Run gatebook projections rebuild {} --promote.':
    'Die Projektion {} hat Ereignisse verarbeitet, die das Log verloren hat. Führen Sie gatebook projections rebuild {} --promote aus.',
  'Reactor {} has processed events that the log has lost. Run gatebook reactors reset {}.':
    'Der Reaktor {} hat Ereignisse verarbeitet, die das Log verloren hat. Führen Sie gatebook reactors reset {} aus.',
  'Projection {} has stopped. Find its error on the Operations page, fix the cause, and restart the {}.':
    'Die Projektion {} wurde gestoppt. Ihren Fehler finden Sie auf der Seite „Betrieb“. Beheben Sie die Ursache, und starten Sie den {} neu.',
  'Reactor {} has stopped. Find its error on the Operations page, fix the cause, and restart the {}.':
    'Der Reaktor {} wurde gestoppt. Seinen Fehler finden Sie auf der Seite „Betrieb“. Beheben Sie die Ursache, und starten Sie den {} neu.',
  'The oldest event that projection {} has not processed is {} old. If this grows, read the log of the {} and restart it.':
    'Das älteste Ereignis, das die Projektion {} nicht verarbeitet hat, ist {} alt. Wenn dieser Rückstand wächst, lesen Sie das Log des Prozesses „{}“, und starten Sie ihn neu.',
  'The oldest event that reactor {} has not processed is {} old. If this grows, read the log of the {} and restart it.':
    'Das älteste Ereignis, das der Reaktor {} nicht verarbeitet hat, ist {} alt. Wenn dieser Rückstand wächst, lesen Sie das Log des Prozesses „{}“, und starten Sie ihn neu.',

  'Project {} is quarantined in {}: its events wait there. Find the error on the Operations page, fix the cause, and retry.':
    'Das Projekt {} ist in {} in Quarantäne: Seine Ereignisse warten dort. Den Fehler finden Sie auf der Seite „Betrieb“. Beheben Sie die Ursache, und versuchen Sie es erneut.',
  'Project {} is quarantined in {}, because the key of a subject is lost. Restore the key from a backup, or run gatebook keys declare-lost with the subject that the Operations page shows.':
    'Das Projekt {} ist in {} in Quarantäne, weil der Schlüssel eines Subjekts verloren ist. Stellen Sie den Schlüssel aus einem Backup wieder her, oder führen Sie gatebook keys declare-lost mit dem Subjekt aus, das die Seite „Betrieb“ zeigt.',
  'Deleted data of project {} is not erased completely. Find the error on the Operations page, fix the cause, and retry.':
    'Die Löschung von Daten des Projekts {} ist nicht abgeschlossen. Den Fehler finden Sie auf der Seite „Betrieb“. Beheben Sie die Ursache, und versuchen Sie es erneut.',

  'The log lost committed events at {} UTC. Repeat what must not be lost, such as revoked keys. See "When the log falls back" in docs/operations.md.':
    'Das Log hat am {} UTC gespeicherte Ereignisse verloren. Wiederholen Sie, was nicht verloren gehen darf, etwa den Widerruf von Schlüsseln. Siehe „When the log falls back“ in docs/operations.md.',
  'The last backup is {} days old. Run gatebook backup, and schedule it.':
    'Das letzte Backup ist {} Tage alt. Führen Sie gatebook backup aus, und planen Sie es regelmäßig ein.',
  'There is no backup, after {} days. Run gatebook backup, and schedule it.':
    'Nach {} Tagen gibt es noch kein Backup. Führen Sie gatebook backup aus, und planen Sie es regelmäßig ein.',
  'No projector is running. Start one, or read the log of the process that should run it.':
    'Es läuft kein Projektor. Starten Sie einen, oder lesen Sie das Log des Prozesses, in dem er laufen sollte.',
  'No worker is running. Start one, or read the log of the process that should run it.':
    'Es läuft kein Worker. Starten Sie einen, oder lesen Sie das Log des Prozesses, in dem er laufen sollte.',

  projector: 'Projektor',
  worker: 'Worker',
});

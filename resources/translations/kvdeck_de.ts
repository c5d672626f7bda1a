<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en_US">
<context>
    <name>ABTable</name>
    <message>
        <source>A against B</source>
        <translation>A gegen B</translation>
    </message>
    <message>
        <source>Pair</source>
        <translation>Paar</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Reihenfolge</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>Kennzahl</translation>
    </message>
    <message>
        <source>B over A ({0} % interval)</source>
        <translation>B durch A ({0}-%-Intervall)</translation>
    </message>
    <message>
        <source>In words</source>
        <translation>In Worten</translation>
    </message>
</context>
<context>
    <name>AboutDialog</name>
    <message>
        <source>About KVDeck</source>
        <translation>Über KVDeck</translation>
    </message>
    <message>
        <source>no engine runs</source>
        <translation>keine Engine läuft</translation>
    </message>
    <message>
        <source>A control panel for vLLM: its KV cache block by block, VRAM, and batching that changes live.</source>
        <translation>Ein Leitstand für vLLM: sein KV-Cache Block für Block, VRAM, und Batching, das sich im Betrieb ändern lässt.</translation>
    </message>
    <message>
        <source>Apache License 2.0</source>
        <translation>Apache-Lizenz 2.0</translation>
    </message>
    <message>
        <source>Copy versions</source>
        <translation>Versionen kopieren</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>AcceptanceBars</name>
    <message>
        <source>Acceptance by position</source>
        <translation>Annahme nach Stelle</translation>
    </message>
    <message>
        <source>position {n}: {share}</source>
        <translation>Stelle {n}: {share}</translation>
    </message>
</context>
<context>
    <name>AdapterDesk</name>
    <message>
        <source>Look for adapters</source>
        <translation>Adapter suchen</translation>
    </message>
    <message>
        <source>Load adapter</source>
        <translation>Adapter laden</translation>
    </message>
    <message>
        <source>Unload adapter</source>
        <translation>Adapter entladen</translation>
    </message>
    <message>
        <source>Adapters</source>
        <translation>Adapter</translation>
    </message>
</context>
<context>
    <name>AdaptersCard</name>
    <message>
        <source>Adapters of the running engine</source>
        <translation>Adapter der laufenden Engine</translation>
    </message>
    <message>
        <source>Load adapter</source>
        <translation>Adapter laden</translation>
    </message>
    <message>
        <source>Working on {}…</source>
        <translation>{} ist in Arbeit …</translation>
    </message>
    <message>
        <source>No adapter is loaded. There is room for rank {} and less.</source>
        <translation>Kein Adapter ist geladen. Platz ist für Rang {} und weniger.</translation>
    </message>
    <message>
        <source>A request names one of them as its model; the chat has a choice above it.</source>
        <translation>Eine Anfrage nennt einen davon als ihr Modell; im Chat steht die Wahl darüber.</translation>
    </message>
    <message>
        <source>Unload {}</source>
        <translation>{} entladen</translation>
    </message>
    <message>
        <source>rank {}</source>
        <translation>Rang {}</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>Wird gesucht …</translation>
    </message>
    <message>
        <source>No adapter in the library&apos;s folders</source>
        <translation>Kein Adapter in den Ordnern der Bibliothek</translation>
    </message>
    <message>
        <source>Another folder…</source>
        <translation>Anderer Ordner …</translation>
    </message>
    <message>
        <source>It is loaded.</source>
        <translation>Er ist geladen.</translation>
    </message>
    <message>
        <source>Load the adapter in this folder</source>
        <translation>Den Adapter in diesem Ordner laden</translation>
    </message>
</context>
<context>
    <name>Animation</name>
    <message>
        <source>{file} could not be written: {reason}.</source>
        <translation>{file} ließ sich nicht schreiben: {reason}.</translation>
    </message>
    <message>
        <source>Choose another folder, or free some space.</source>
        <translation>Wählen Sie einen anderen Ordner, oder schaffen Sie Platz.</translation>
    </message>
    <message>
        <source>The animation was not finished.</source>
        <translation>Die Animation wurde nicht fertig.</translation>
    </message>
</context>
<context>
    <name>AnimationDialog</name>
    <message>
        <source>Save as an animation</source>
        <translation>Als Animation speichern</translation>
    </message>
    <message>
        <source>The whole window</source>
        <translation>Das ganze Fenster</translation>
    </message>
    <message>
        <source>Progress of the animation</source>
        <translation>Fortschritt der Animation</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>From, to</source>
        <translation>Von, bis</translation>
    </message>
    <message>
        <source>Pictures a second</source>
        <translation>Bilder je Sekunde</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Geschwindigkeit</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>To</source>
        <translation>Bis</translation>
    </message>
    <message>
        <source>Animation</source>
        <translation>Animation</translation>
    </message>
    <message>
        <source>Saved {file}: {frames} pictures, {size}</source>
        <translation>{file} gespeichert: {frames} Bilder, {size}</translation>
    </message>
    <message>
        <source>{frames} pictures of {width} × {height}, shown for {seconds}</source>
        <translation>{frames} Bilder zu {width} × {height}, zu sehen {seconds} lang</translation>
    </message>
</context>
<context>
    <name>AnswerFigures</name>
    <message>
        <source>{} tok</source>
        <translation>{} Tok</translation>
    </message>
    <message>
        <source>{} tok/s</source>
        <translation>{} Tok/s</translation>
    </message>
    <message>
        <source>TTFT {}</source>
        <translation>TTFT {}</translation>
    </message>
    <message>
        <source>prompt {}</source>
        <translation>Prompt {}</translation>
    </message>
    <message>
        <source>cached {}</source>
        <translation>aus dem Cache {}</translation>
    </message>
    <message>
        <source>Tokens that the model generated for this answer, as the engine counts them. A ≈ marks a count of the pieces received, for an answer that ended before the engine reported.</source>
        <translation>Tokens, die das Modell für diese Antwort erzeugt hat, wie die Engine sie zählt. Ein ≈ steht vor einer Zahl empfangener Stücke, wenn die Antwort endete, bevor die Engine gezählt hatte.</translation>
    </message>
    <message>
        <source>Tokens per second after the first token: (generated − 1) / (last token − first token). The wait for the first token is TTFT and not part of this.</source>
        <translation>Tokens je Sekunde nach dem ersten Token: (erzeugt − 1) / (letztes Token − erstes Token). Das Warten auf das erste Token ist TTFT und zählt hier nicht mit.</translation>
    </message>
    <message>
        <source>Time to first token: from the moment the message was sent until the first token arrived here. Queueing and reading the prompt are in it.</source>
        <translation>Zeit bis zum ersten Token: vom Absenden der Nachricht, bis das erste Token hier ankam. Warteschlange und Lesen des Prompts sind darin.</translation>
    </message>
    <message>
        <source>Tokens of the whole prompt: system prompt, all earlier messages of this version and the chat template.</source>
        <translation>Tokens des ganzen Prompts: Systemprompt, alle früheren Nachrichten dieser Fassung und die Chat-Vorlage.</translation>
    </message>
    <message>
        <source>Prompt tokens that came from the prefix cache and were not computed again. Only whole blocks are reused, so a short prompt has none.</source>
        <translation>Prompt-Tokens, die aus dem Präfix-Cache kamen und nicht neu berechnet wurden. Nur ganze Blöcke werden wiederverwendet; ein kurzer Prompt hat daher keine.</translation>
    </message>
</context>
<context>
    <name>Application</name>
    <message>
        <source>Start</source>
        <translation>Start</translation>
    </message>
    <message>
        <source>Recordings</source>
        <translation>Aufzeichnungen</translation>
    </message>
    <message>
        <source>Engine host</source>
        <translation>Engine-Host</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitachse</translation>
    </message>
    <message>
        <source>Fit estimate</source>
        <translation>Platzschätzung</translation>
    </message>
    <message>
        <source>{file} cannot be read.</source>
        <translation>{file} lässt sich nicht lesen.</translation>
    </message>
    <message>
        <source>Start again with the host&apos;s own key file.</source>
        <translation>Neu starten mit der Schlüsseldatei des Hosts.</translation>
    </message>
    <message>
        <source>The setting holds until KVDeck ends: {file} cannot be written.</source>
        <translation>Die Einstellung gilt, bis KVDeck endet: {file} lässt sich nicht schreiben.</translation>
    </message>
    <message>
        <source>Free some disk space, or check the folder&apos;s permissions.</source>
        <translation>Schaffen Sie Platz auf der Platte, oder prüfen Sie die Rechte des Ordners.</translation>
    </message>
    <message>
        <source>Tour</source>
        <translation>Rundgang</translation>
    </message>
</context>
<context>
    <name>ApplyBar</name>
    <message>
        <source>Requests over the new limit</source>
        <translation>Anfragen über der neuen Grenze</translation>
    </message>
    <message>
        <source>Let them finish</source>
        <translation>Zu Ende laufen lassen</translation>
    </message>
    <message>
        <source>Preempt</source>
        <translation>Verdrängen</translation>
    </message>
    <message>
        <source>No new request starts until enough have finished. Nothing is computed twice.</source>
        <translation>Keine neue Anfrage beginnt, bis genügend fertig sind. Nichts wird doppelt berechnet.</translation>
    </message>
    <message>
        <source>The surplus goes back to the queue at once and is recomputed later. Nothing is lost.</source>
        <translation>Die überzähligen gehen sofort in die Warteschlange zurück und werden später neu berechnet. Nichts geht verloren.</translation>
    </message>
    <message>
        <source>Revert</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Forget all edits that are not in force</source>
        <translation>Alle Änderungen vergessen, die noch nicht gelten</translation>
    </message>
    <message>
        <source>Only the {} now</source>
        <translation>Nur die {} jetzt</translation>
    </message>
    <message>
        <source>Load with {} changed</source>
        <translation>Laden mit {} Änderungen</translation>
    </message>
    <message>
        <source>{} in force at the next load</source>
        <translation>{} gelten ab dem nächsten Laden</translation>
    </message>
    <message>
        <source>Apply {now} now, reload for {later}</source>
        <translation>{now} jetzt anwenden, für {later} neu laden</translation>
    </message>
    <message>
        <source>Reload for {}</source>
        <translation>Neu laden für {}</translation>
    </message>
    <message>
        <source>Apply {} now</source>
        <translation>{} jetzt anwenden</translation>
    </message>
    <message>
        <source>A value marked in red has to be changed first.</source>
        <translation>Zuerst muss der rot markierte Wert geändert werden.</translation>
    </message>
    <message>
        <source>A reload ends the requests that run: {}.</source>
        <translation>Neu laden beendet die laufenden Anfragen: {}.</translation>
    </message>
    <message>
        <source>Lowering frees no VRAM: buffers and KV cache keep the size they got at load.</source>
        <translation>Senken gibt keinen VRAM frei: Puffer und KV-Cache behalten die Größe vom Laden.</translation>
    </message>
</context>
<context>
    <name>AxesField</name>
    <message>
        <source>Add a parameter</source>
        <translation>Parameter hinzufügen</translation>
    </message>
    <message>
        <source>Add a parameter…</source>
        <translation>Parameter hinzufügen …</translation>
    </message>
</context>
<context>
    <name>AxisRow</name>
    <message>
        <source>live: no reload</source>
        <translation>live: ohne Neuladen</translation>
    </message>
    <message>
        <source>each value needs a reload</source>
        <translation>jeder Wert braucht ein Neuladen</translation>
    </message>
    <message>
        <source>{name}: values to try</source>
        <translation>{name}: zu versuchende Werte</translation>
    </message>
    <message>
        <source>values, with commas</source>
        <translation>Werte, mit Kommas</translation>
    </message>
    <message>
        <source>{name} in A</source>
        <translation>{name} in A</translation>
    </message>
    <message>
        <source>{name} in B</source>
        <translation>{name} in B</translation>
    </message>
    <message>
        <source>Leave {name} alone</source>
        <translation>{name} so lassen</translation>
    </message>
    <message>
        <source>{name} has no values to try.</source>
        <translation>{name} hat keine Werte zum Versuchen.</translation>
    </message>
    <message>
        <source>Give some, with commas between them, or leave it out.</source>
        <translation>Geben Sie welche an, mit Kommas dazwischen, oder lassen Sie ihn weg.</translation>
    </message>
</context>
<context>
    <name>BlockLegend</name>
    <message>
        <source>a colour a request</source>
        <translation>eine Farbe je Anfrage</translation>
    </message>
    <message>
        <source>of another group</source>
        <translation>einer anderen Gruppe</translation>
    </message>
    <message>
        <source>free</source>
        <translation>frei</translation>
    </message>
    <message>
        <source>cached</source>
        <translation>im Cache</translation>
    </message>
    <message>
        <source>used</source>
        <translation>belegt</translation>
    </message>
    <message>
        <source>shared</source>
        <translation>geteilt</translation>
    </message>
    <message>
        <source>null</source>
        <translation>null</translation>
    </message>
    <message>
        <source>used under 8 steps ago</source>
        <translation>vor unter 8 Schritten benutzt</translation>
    </message>
    <message>
        <source>under 64</source>
        <translation>unter 64</translation>
    </message>
    <message>
        <source>under 512</source>
        <translation>unter 512</translation>
    </message>
    <message>
        <source>longer ago</source>
        <translation>länger her</translation>
    </message>
    <message>
        <source>1 owner</source>
        <translation>1 Besitzer</translation>
    </message>
    <message>
        <source>how often blocks were found again is not known here</source>
        <translation>wie oft Blöcke wiedergefunden wurden, ist hier nicht bekannt</translation>
    </message>
    <message>
        <source>never found again</source>
        <translation>nie wiedergefunden</translation>
    </message>
    <message>
        <source>once</source>
        <translation>einmal</translation>
    </message>
    <message>
        <source>{0} times and more</source>
        <translation>{0}-mal und öfter</translation>
    </message>
</context>
<context>
    <name>BlockMap</name>
    <message>
        <source>Map of the KV cache&apos;s blocks</source>
        <translation>Karte der Blöcke des KV-Caches</translation>
    </message>
</context>
<context>
    <name>BlockMapActions</name>
    <message>
        <source>Show all blocks</source>
        <translation>Alle Blöcke zeigen</translation>
    </message>
    <message>
        <source>Show the block in the block table</source>
        <translation>Den Block in der Blocktabelle zeigen</translation>
    </message>
    <message>
        <source>Copy the block map as a picture</source>
        <translation>Blockkarte als Bild kopieren</translation>
    </message>
    <message>
        <source>Copy all blocks as CSV</source>
        <translation>Alle Blöcke als CSV kopieren</translation>
    </message>
    <message>
        <source>Copy the steps as CSV</source>
        <translation>Schritte als CSV kopieren</translation>
    </message>
</context>
<context>
    <name>BlockMapToolbar</name>
    <message>
        <source>Colour by</source>
        <translation>Färben nach</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Request</source>
        <translation>Anfrage</translation>
    </message>
    <message>
        <source>Age</source>
        <translation>Alter</translation>
    </message>
    <message>
        <source>Owners</source>
        <translation>Besitzer</translation>
    </message>
    <message>
        <source>Reuse</source>
        <translation>Nutzung</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>Gruppe</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>The view is frozen; the engine and its data go on.</source>
        <translation>Die Ansicht steht; die Engine und ihre Daten laufen weiter.</translation>
    </message>
    <message>
        <source>Pause the view (Space)</source>
        <translation>Ansicht anhalten (Leertaste)</translation>
    </message>
    <message>
        <source>Zoom out (-)</source>
        <translation>Verkleinern (-)</translation>
    </message>
    <message>
        <source>Zoom in (+)</source>
        <translation>Vergrößern (+)</translation>
    </message>
    <message>
        <source>Show all blocks (0)</source>
        <translation>Alle Blöcke zeigen (0)</translation>
    </message>
    <message>
        <source>Colour blocks by free, cached, used, shared</source>
        <translation>Blöcke nach frei, im Cache, belegt, geteilt färben</translation>
    </message>
    <message>
        <source>A colour for each request; shared blocks keep their own</source>
        <translation>Eine Farbe je Anfrage; geteilte Blöcke behalten ihre eigene</translation>
    </message>
    <message>
        <source>How many steps ago a block was last used</source>
        <translation>Vor wie vielen Schritten ein Block zuletzt benutzt wurde</translation>
    </message>
    <message>
        <source>How many requests own a block</source>
        <translation>Wie viele Anfragen einen Block besitzen</translation>
    </message>
    <message>
        <source>How often a later request found what the block holds in the prefix cache</source>
        <translation>Wie oft eine spätere Anfrage den Inhalt des Blocks im Präfix-Cache fand</translation>
    </message>
    <message>
        <source>Which KV-cache group a block belongs to; dimmed where it is only cached</source>
        <translation>Zu welcher KV-Cache-Gruppe ein Block gehört; gedämpft, wo er nur zwischengespeichert ist</translation>
    </message>
    <message>
        <source>{0} (C goes to the next)</source>
        <translation>{0} (C geht zur nächsten)</translation>
    </message>
    <message>
        <source>Go on (Space)</source>
        <translation>Weiter (Leertaste)</translation>
    </message>
</context>
<context>
    <name>BlockTable</name>
    <message>
        <source>prefix cache</source>
        <translation>Präfix-Cache</translation>
    </message>
    <message>
        <source>copied, {0} of {1} slots</source>
        <translation>kopiert, {0} von {1} Plätzen</translation>
    </message>
    <message>
        <source>computed</source>
        <translation>berechnet</translation>
    </message>
    <message>
        <source>computed, last</source>
        <translation>berechnet, letzter</translation>
    </message>
    <message>
        <source>behind the window</source>
        <translation>hinter dem Fenster</translation>
    </message>
    <message>
        <source>state</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>An earlier request had filled this block; it was found whole.</source>
        <translation>Eine frühere Anfrage hatte diesen Block gefüllt; er wurde ganz gefunden.</translation>
    </message>
    <message>
        <source>The prefix cache had the beginning of this block. vLLM copied it (copy-on-write), because the request writes on into it. Only models with state-space layers have this.</source>
        <translation>Der Präfix-Cache hatte den Anfang dieses Blocks. vLLM hat ihn kopiert (Copy-on-Write), weil die Anfrage in ihm weiterschreibt. Das gibt es nur bei Modellen mit Zustandsraum-Schichten.</translation>
    </message>
    <message>
        <source>Computed for this request. A block that is shared without having been found was filled by this request and found by others.</source>
        <translation>Für diese Anfrage berechnet. Ein Block, der geteilt ist, ohne gefunden worden zu sein, wurde von dieser Anfrage gefüllt und von anderen gefunden.</translation>
    </message>
    <message>
        <source>All blocks before this one were found. This one is computed even if it is cached: the prompt&apos;s last token has to be, since the answer&apos;s first follows from it, and vLLM goes by whole blocks.</source>
        <translation>Alle Blöcke vor diesem wurden gefunden. Dieser wird berechnet, auch wenn er im Cache steht: Das letzte Token der Eingabe muss es werden, weil das erste der Antwort aus ihm folgt, und vLLM rechnet in ganzen Blöcken.</translation>
    </message>
    <message>
        <source>The window has moved past these tokens, so their block was given back. What stands here is the null block.</source>
        <translation>Das Fenster ist über diese Token hinweg, deshalb wurde ihr Block zurückgegeben. Hier steht der Null-Block.</translation>
    </message>
    <message>
        <source>The state of state-space layers, which stands for all tokens before it. It has no slots.</source>
        <translation>Der Zustand von Zustandsraum-Schichten, der für alle Token davor steht. Er hat keine Plätze.</translation>
    </message>
</context>
<context>
    <name>BlockTableModel</name>
    <message>
        <source>Logical</source>
        <translation>Logisch</translation>
    </message>
    <message>
        <source>Physical</source>
        <translation>Physisch</translation>
    </message>
    <message>
        <source>Slots</source>
        <translation>Plätze</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Herkunft</translation>
    </message>
    <message>
        <source>Shared with</source>
        <translation>Geteilt mit</translation>
    </message>
    <message>
        <source>{0} · group {1}</source>
        <translation>{0} · Gruppe {1}</translation>
    </message>
    <message>
        <source>state</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keiner</translation>
    </message>
    <message>
        <source>{0} and {1} more</source>
        <translation>{0} und {1} weitere</translation>
    </message>
</context>
<context>
    <name>BlockTableView</name>
    <message>
        <source>Choose a request, or click a block that is in use.</source>
        <translation>Wählen Sie eine Anfrage, oder klicken Sie auf einen belegten Block.</translation>
    </message>
    <message>
        <source>blocks: {0}</source>
        <translation>Blöcke: {0}</translation>
    </message>
    <message>
        <source>from the prefix cache: {0}</source>
        <translation>aus dem Präfix-Cache: {0}</translation>
    </message>
    <message>
        <source>shared: {0}</source>
        <translation>geteilt: {0}</translation>
    </message>
    <message>
        <source>adapter {0}</source>
        <translation>Adapter {0}</translation>
    </message>
    <message>
        <source>last block: {0} of {1} slots</source>
        <translation>letzter Block: {0} von {1} Plätzen</translation>
    </message>
    <message>
        <source>the page had no room for all of them</source>
        <translation>die Seite hatte nicht für alle Platz</translation>
    </message>
    <message>
        <source>Block table of the chosen request</source>
        <translation>Blocktabelle der gewählten Anfrage</translation>
    </message>
    <message>
        <source>Copy the chosen rows</source>
        <translation>Die gewählten Zeilen kopieren</translation>
    </message>
    <message>
        <source>Copy the whole block table</source>
        <translation>Die ganze Blocktabelle kopieren</translation>
    </message>
    <message>
        <source>Show the block in the map</source>
        <translation>Den Block in der Karte zeigen</translation>
    </message>
</context>
<context>
    <name>BlockTimes</name>
    <message>
        <source>{0}: {1} ({2})</source>
        <translation>{0}: {1} ({2})</translation>
    </message>
    <message>
        <source>over {0}</source>
        <translation>über {0}</translation>
    </message>
    <message>
        <source>under {0}</source>
        <translation>unter {0}</translation>
    </message>
    <message>
        <source>{0} to {1}</source>
        <translation>{0} bis {1}</translation>
    </message>
    <message>
        <source>none yet</source>
        <translation>noch keine</translation>
    </message>
    <message>
        <source>{0} in all · median {1} · nine tenths within {2}</source>
        <translation>{0} insgesamt · Median {1} · neun Zehntel bis {2}</translation>
    </message>
</context>
<context>
    <name>BlockTimesView</name>
    <message>
        <source>Times of blocks</source>
        <translation>Zeiten der Blöcke</translation>
    </message>
    <message>
        <source>Residency</source>
        <translation>Verweildauer</translation>
    </message>
    <message>
        <source>From when a block is handed out until its content is lost: evicted, or freed when not full</source>
        <translation>Von der Vergabe eines Blocks, bis sein Inhalt verloren ist: geräumt, oder freigegeben, ohne voll zu sein</translation>
    </message>
    <message>
        <source>Idle before eviction</source>
        <translation>Ruhezeit vor der Räumung</translation>
    </message>
    <message>
        <source>From when nobody holds a cached block any more until it is evicted</source>
        <translation>Von da an, wo niemand mehr einen Block im Cache hält, bis er geräumt wird</translation>
    </message>
    <message>
        <source>Reuse gap</source>
        <translation>Zeit bis zur Wiederverwendung</translation>
    </message>
    <message>
        <source>From when nobody holds a cached block any more until a request finds it again</source>
        <translation>Von da an, wo niemand mehr einen Block im Cache hält, bis eine Anfrage ihn wiederfindet</translation>
    </message>
    <message>
        <source>This recording holds none up to here.</source>
        <translation>Diese Aufzeichnung hat bis hierher keine.</translation>
    </message>
    <message>
        <source>Blocks found while another request still held them: {0} · since the engine started</source>
        <translation>Gefundene Blöcke, die eine andere Anfrage noch hielt: {0} · seit dem Start der Engine</translation>
    </message>
</context>
<context>
    <name>BlockWords</name>
    <message>
        <source>free</source>
        <translation>frei</translation>
    </message>
    <message>
        <source>cached (free, holds a reusable prefix)</source>
        <translation>im Cache (frei, hält ein wiederverwendbares Präfix)</translation>
    </message>
    <message>
        <source>used</source>
        <translation>belegt</translation>
    </message>
    <message>
        <source>shared</source>
        <translation>geteilt</translation>
    </message>
    <message>
        <source>null (vLLM&apos;s placeholder, never holds tokens)</source>
        <translation>null (Platzhalter von vLLM, hält nie Tokens)</translation>
    </message>
    <message>
        <source>block {0}</source>
        <translation>Block {0}</translation>
    </message>
    <message>
        <source>shared by {0}</source>
        <translation>geteilt von {0}</translation>
    </message>
    <message>
        <source>{0} of {1} slots filled</source>
        <translation>{0} von {1} Plätzen gefüllt</translation>
    </message>
    <message>
        <source> and {0} more</source>
        <translation> und {0} weitere</translation>
    </message>
    <message>
        <source>holds a state instead of tokens</source>
        <translation>hält einen Zustand statt Token</translation>
    </message>
    <message>
        <source>group {0}</source>
        <translation>Gruppe {0}</translation>
    </message>
    <message>
        <source>found by later requests: {0}×</source>
        <translation>von späteren Anfragen gefunden: {0}×</translation>
    </message>
    <message>
        <source>last used in step {0}, steps since: {1}</source>
        <translation>zuletzt benutzt in Schritt {0}, Schritte seither: {1}</translation>
    </message>
    <message>
        <source>never used</source>
        <translation>nie benutzt</translation>
    </message>
    <message>
        <source>and {0} more</source>
        <translation>und {0} weitere</translation>
    </message>
    <message>
        <source>{0}: position {1} of 0–{2}</source>
        <translation>{0}: Position {1} von 0–{2}</translation>
    </message>
    <message>
        <source>, group {0}</source>
        <translation>, Gruppe {0}</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>in Gebrauch</translation>
    </message>
    <message>
        <source>Share of the blocks that requests own, as vLLM computes it. The null block does not count.</source>
        <translation>Anteil der Blöcke, die Anfragen gehören, wie vLLM ihn berechnet. Der Nullblock zählt nicht.</translation>
    </message>
    <message>
        <source>Blocks that exactly one request owns.</source>
        <translation>Blöcke, die genau einer Anfrage gehören.</translation>
    </message>
    <message>
        <source>Blocks that more than one request owns: their common prefix is held once.</source>
        <translation>Blöcke, die mehreren Anfragen gehören: ihr gemeinsames Präfix liegt nur einmal vor.</translation>
    </message>
    <message>
        <source>cached</source>
        <translation>im Cache</translation>
    </message>
    <message>
        <source>Free blocks whose tokens can still be reused by a request with the same prefix.</source>
        <translation>Freie Blöcke, deren Tokens eine Anfrage mit gleichem Präfix noch wiederverwenden kann.</translation>
    </message>
    <message>
        <source>Free blocks that hold nothing reusable.</source>
        <translation>Freie Blöcke, die nichts Wiederverwendbares halten.</translation>
    </message>
    <message>
        <source>waste</source>
        <translation>Verschnitt</translation>
    </message>
    <message>
        <source>Token slots in used and shared blocks that hold nothing, and their share of those blocks&apos; slots. Paging wastes at most a part of each request&apos;s last block.</source>
        <translation>Tokenplätze in belegten und geteilten Blöcken, die leer sind, und ihr Anteil an deren Plätzen. Paging verschwendet höchstens einen Teil des letzten Blocks jeder Anfrage.</translation>
    </message>
    <message>
        <source>hit rate</source>
        <translation>Trefferquote</translation>
    </message>
    <message>
        <source>Prompt tokens found in the prefix cache, as a share of all prompt tokens looked up since the engine started ({0} of {1}). Only whole blocks can be found: a prefix shorter than {2} tokens never hits.</source>
        <translation>Prompt-Tokens, die im Präfix-Cache lagen, als Anteil aller seit dem Start der Engine gesuchten ({0} von {1}). Nur ganze Blöcke können gefunden werden: ein Präfix unter {2} Tokens trifft nie.</translation>
    </message>
    <message>
        <source>running</source>
        <translation>laufend</translation>
    </message>
    <message>
        <source>Requests in the running batch, of at most {0} (max_num_seqs).</source>
        <translation>Anfragen im laufenden Batch, von höchstens {0} (max_num_seqs).</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartend</translation>
    </message>
    <message>
        <source>Requests in the queue.</source>
        <translation>Anfragen in der Warteschlange.</translation>
    </message>
    <message>
        <source>preempted</source>
        <translation>verdrängt</translation>
    </message>
    <message>
        <source>How often a running request had to give its blocks back and start again, since the engine started. More than a few: lower max_num_seqs or give the KV cache more memory.</source>
        <translation>Wie oft eine laufende Anfrage ihre Blöcke zurückgeben und neu beginnen musste, seit die Engine läuft. Mehr als einige: max_num_seqs senken oder dem KV-Cache mehr Speicher geben.</translation>
    </message>
    <message>
        <source>step {0}</source>
        <translation>Schritt {0}</translation>
    </message>
    <message>
        <source>{0} prefill + {1} decode of {2}</source>
        <translation>{0} Prefill + {1} Decode von {2}</translation>
    </message>
    <message>
        <source>{0} running</source>
        <translation>{0} laufen</translation>
    </message>
    <message>
        <source>{0} waiting</source>
        <translation>{0} warten</translation>
    </message>
    <message>
        <source>{0} preempted</source>
        <translation>{0} verdrängt</translation>
    </message>
</context>
<context>
    <name>CacheAlerts</name>
    <message>
        <source>{0} can never run: its prompt of {1} tokens needs {2} blocks, and the whole cache has {3}.</source>
        <translation>{0} kann nie laufen: Der Prompt mit {1} Token braucht {2} Blöcke, und der ganze Cache hat {3}.</translation>
    </message>
    <message>
        <source>A request</source>
        <translation>Eine Anfrage</translation>
    </message>
    <message>
        <source>Abort it, shorten the prompt, or reload with a larger KV cache.</source>
        <translation>Brechen Sie sie ab, kürzen Sie den Prompt, oder laden Sie mit einem größeren KV-Cache neu.</translation>
    </message>
</context>
<context>
    <name>CacheDetails</name>
    <message>
        <source>Details of the KV cache</source>
        <translation>Einzelheiten des KV-Cache</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>Block table</source>
        <translation>Blocktabelle</translation>
    </message>
    <message>
        <source>Prefixes</source>
        <translation>Präfixe</translation>
    </message>
    <message>
        <source>Waste</source>
        <translation>Verschnitt</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>Zeiten</translation>
    </message>
</context>
<context>
    <name>CacheEmpty</name>
    <message>
        <source>Every block of the KV cache, live</source>
        <translation>Jeder Block des KV-Caches, live</translation>
    </message>
    <message>
        <source>The engine died</source>
        <translation>Die Engine ist abgestürzt</translation>
    </message>
    <message>
        <source>The load failed</source>
        <translation>Das Laden ist gescheitert</translation>
    </message>
    <message>
        <source>Load again</source>
        <translation>Noch einmal laden</translation>
    </message>
    <message>
        <source>The engine is ending and giving its memory back.</source>
        <translation>Die Engine endet und gibt ihren Speicher zurück.</translation>
    </message>
    <message>
        <source>{0} is asleep. Its blocks are here as soon as it is awake.</source>
        <translation>{0} schläft. Die Blöcke sind hier, sobald das Modell wach ist.</translation>
    </message>
    <message>
        <source>Wake</source>
        <translation>Wecken</translation>
    </message>
    <message>
        <source>Waiting for the engine&apos;s first picture of its cache.</source>
        <translation>Warten auf das erste Bild, das die Engine von ihrem Cache gibt.</translation>
    </message>
    <message>
        <source>The model is loading. The map appears when vLLM has laid out the cache.</source>
        <translation>Das Modell wird geladen. Die Karte erscheint, sobald vLLM den Cache angelegt hat.</translation>
    </message>
    <message>
        <source>The model is loading: {0}. The map appears when vLLM has laid out the cache.</source>
        <translation>Das Modell wird geladen: {0}. Die Karte erscheint, sobald vLLM den Cache angelegt hat.</translation>
    </message>
    <message>
        <source>One cell a block: free, cached, used by one request or shared by several. Load a model, and it fills as requests run.</source>
        <translation>Eine Zelle je Block: frei, im Cache, von einer Anfrage belegt oder von mehreren geteilt. Mit einem geladenen Modell füllt sie sich, während Anfragen laufen.</translation>
    </message>
    <message>
        <source>Load {0}</source>
        <translation>{0} laden</translation>
    </message>
    <message>
        <source>The starter model is being built.</source>
        <translation>Das Startmodell wird gebaut.</translation>
    </message>
    <message>
        <source>Build the starter model</source>
        <translation>Startmodell bauen</translation>
    </message>
</context>
<context>
    <name>CacheEventsModel</name>
    <message>
        <source>Step {0}: {1}</source>
        <translation>Schritt {0}: {1}</translation>
    </message>
    <message>
        <source>an unknown request</source>
        <translation>eine unbekannte Anfrage</translation>
    </message>
    <message>
        <source>{0} was preempted; blocks given back: {2}; tokens to compute again, at most: {1}</source>
        <translation>{0} wurde verdrängt; zurückgegebene Blöcke: {2}; höchstens neu zu berechnende Token: {1}</translation>
    </message>
    <message>
        <source>no room for {0} to go on; free blocks: {1}</source>
        <translation>kein Platz für {0}, um weiterzulaufen; freie Blöcke: {1}</translation>
    </message>
    <message>
        <source>no room to admit {0}, it waits; free blocks: {1}</source>
        <translation>kein Platz, um {0} zuzulassen, sie wartet; freie Blöcke: {1}</translation>
    </message>
    <message>
        <source>{0} can never fit: its prompt needs {1} blocks, the whole cache has {2}</source>
        <translation>{0} passt nie hinein: Der Prompt braucht {1} Blöcke, der ganze Cache hat {2}</translation>
    </message>
    <message>
        <source>{0} resumed; from the prefix cache: {1} of {2} tokens</source>
        <translation>{0} läuft wieder; aus dem Präfix-Cache: {1} von {2} Token</translation>
    </message>
    <message>
        <source>{0} admitted; from the prefix cache: {1} of {2} tokens</source>
        <translation>{0} zugelassen; aus dem Präfix-Cache: {1} von {2} Token</translation>
    </message>
    <message>
        <source>block {0} evicted, steps unused: {1}</source>
        <translation>Block {0} geräumt, Schritte unbenutzt: {1}</translation>
    </message>
    <message>
        <source>{0} blocks evicted, unused for up to {1} steps</source>
        <translation>{0} Blöcke geräumt, seit bis zu {1} Schritten unbenutzt</translation>
    </message>
    <message>
        <source>{0}; the prefix of {1}</source>
        <translation>{0}; das Präfix von {1}</translation>
    </message>
</context>
<context>
    <name>CachePanel</name>
    <message>
        <source>Point at a block to see whose it is; click to choose its request.</source>
        <translation>Auf einen Block zeigen, um zu sehen, wem er gehört; ein Klick wählt seine Anfrage.</translation>
    </message>
    <message>
        <source>{0} has ended; it held these blocks: {1} · Esc forgets the choice</source>
        <translation>{0} ist beendet; die Anfrage hielt diese Blöcke: {1} · Esc hebt die Auswahl auf</translation>
    </message>
    <message>
        <source>{0} · blocks: {1} · Esc forgets the choice</source>
        <translation>{0} · Blöcke: {1} · Esc hebt die Wahl auf</translation>
    </message>
</context>
<context>
    <name>CacheQuestions</name>
    <message>
        <source>Read the prefix tree</source>
        <translation>Präfixbaum lesen</translation>
    </message>
    <message>
        <source>Explain the prefix cache</source>
        <translation>Präfix-Cache erklären</translation>
    </message>
    <message>
        <source>Read a prefix</source>
        <translation>Ein Präfix lesen</translation>
    </message>
    <message>
        <source>Keep token ids</source>
        <translation>Token-Nummern behalten</translation>
    </message>
    <message>
        <source>Read the times of blocks</source>
        <translation>Zeiten der Blöcke lesen</translation>
    </message>
</context>
<context>
    <name>CeilingsDesk</name>
    <message>
        <source>Measure the limits</source>
        <translation>Grenzen messen</translation>
    </message>
    <message>
        <source>Read the measured limits</source>
        <translation>Gemessene Grenzen lesen</translation>
    </message>
</context>
<context>
    <name>CentrePages</name>
    <message>
        <source>Pages of the middle</source>
        <translation>Seiten der Mitte</translation>
    </message>
</context>
<context>
    <name>ChatActions</name>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Search all chats</source>
        <translation>Alle Chats durchsuchen</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>Systemprompt</translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation>Neu antworten</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>Antwort anhalten</translation>
    </message>
    <message>
        <source>Copy chat as Markdown</source>
        <translation>Chat als Markdown kopieren</translation>
    </message>
    <message>
        <source>Export chat as Markdown…</source>
        <translation>Chat als Markdown exportieren …</translation>
    </message>
    <message>
        <source>Export chat as JSON…</source>
        <translation>Chat als JSON exportieren …</translation>
    </message>
    <message>
        <source>Delete chat</source>
        <translation>Chat löschen</translation>
    </message>
    <message>
        <source>Export chat</source>
        <translation>Chat exportieren</translation>
    </message>
</context>
<context>
    <name>ChatDesk</name>
    <message>
        <source>The chat could not be written to {path}: {cause}.</source>
        <translation>Der Chat ließ sich nicht nach {path} schreiben: {cause}.</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation>Einen anderen Ordner wählen.</translation>
    </message>
    <message>
        <source>The chat is in {}.</source>
        <translation>Der Chat steht in {}.</translation>
    </message>
</context>
<context>
    <name>ChatEmpty</name>
    <message>
        <source>Talk to the model</source>
        <translation>Mit dem Modell sprechen</translation>
    </message>
    <message>
        <source>Every answer shows what it cost, and its blocks appear in the KV cache as it is written.</source>
        <translation>Jede Antwort zeigt, was sie gekostet hat, und ihre Blöcke erscheinen im KV-Cache, während sie entsteht.</translation>
    </message>
    <message>
        <source>What is a KV cache?</source>
        <translation>Was ist ein KV-Cache?</translation>
    </message>
    <message>
        <source>Why is the sky blue?</source>
        <translation>Warum ist der Himmel blau?</translation>
    </message>
    <message>
        <source>Write a haiku about memory</source>
        <translation>Schreib ein Haiku über Speicher</translation>
    </message>
    <message>
        <source>Sort a list in Python</source>
        <translation>Sortiere eine Liste in Python</translation>
    </message>
</context>
<context>
    <name>ChatHead</name>
    <message>
        <source>All chats</source>
        <translation>Alle Chats</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>More about this chat</source>
        <translation>Mehr zu diesem Chat</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>Systemprompt</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keiner</translation>
    </message>
    <message>
        <source>What the model is told before everything else, e.g. “Answer in French.”</source>
        <translation>Was dem Modell vor allem anderen gesagt wird, z. B. „Antworte auf Französisch.“</translation>
    </message>
</context>
<context>
    <name>ChatInput</name>
    <message>
        <source>Message</source>
        <translation>Nachricht</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter begins a new line, Esc stops the answer</source>
        <translation>Eingabe sendet, Umschalt+Eingabe beginnt eine neue Zeile, Esc hält die Antwort an</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Stop the answer; what is written stays (Esc)</source>
        <translation>Antwort anhalten; was geschrieben ist, bleibt (Esc)</translation>
    </message>
    <message>
        <source>Sampling options</source>
        <translation>Sampling-Einstellungen</translation>
    </message>
</context>
<context>
    <name>ChatLines</name>
    <message>
        <source>from here on {}</source>
        <translation>ab hier {}</translation>
    </message>
</context>
<context>
    <name>ChatModel</name>
    <message>
        <source>Model that answers</source>
        <translation>Modell, das antwortet</translation>
    </message>
    <message>
        <source>Which model answers: the loaded one itself, or one of the adapters over it</source>
        <translation>Welches Modell antwortet: das geladene selbst oder einer der Adapter darüber</translation>
    </message>
</context>
<context>
    <name>ChatPanel</name>
    <message>
        <source>Message deleted</source>
        <translation>Nachricht gelöscht</translation>
    </message>
</context>
<context>
    <name>ChatSaving</name>
    <message>
        <source>Chats are not saved until then.</source>
        <translation>Bis dahin werden Chats nicht gesichert.</translation>
    </message>
    <message>
        <source>The chats are saved again.</source>
        <translation>Die Chats sind wieder gesichert.</translation>
    </message>
</context>
<context>
    <name>ChatState</name>
    <message>
        <source>Message to {}</source>
        <translation>Nachricht an {}</translation>
    </message>
    <message>
        <source>Write already, send it later</source>
        <translation>Schon schreiben, später senden</translation>
    </message>
    <message>
        <source>{} is loading.</source>
        <translation>{} wird geladen.</translation>
    </message>
    <message>
        <source>The model</source>
        <translation>Das Modell</translation>
    </message>
    <message>
        <source>The engine is not ready yet.</source>
        <translation>Die Engine ist noch nicht bereit.</translation>
    </message>
    <message>
        <source>{} is asleep.</source>
        <translation>{} schläft.</translation>
    </message>
    <message>
        <source>Wake</source>
        <translation>Wecken</translation>
    </message>
    <message>
        <source>The engine has died.</source>
        <translation>Die Engine ist abgestürzt.</translation>
    </message>
    <message>
        <source>Start it again</source>
        <translation>Neu starten</translation>
    </message>
    <message>
        <source>Load {}</source>
        <translation>{} laden</translation>
    </message>
    <message>
        <source>{} could not be loaded.</source>
        <translation>{} ließ sich nicht laden.</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>Kein Modell geladen.</translation>
    </message>
    <message>
        <source>The starter model is being built ({}).</source>
        <translation>Das Startmodell wird gebaut ({}).</translation>
    </message>
    <message>
        <source>No model is known yet.</source>
        <translation>Noch kein Modell bekannt.</translation>
    </message>
    <message>
        <source>Build the starter model</source>
        <translation>Startmodell bauen</translation>
    </message>
</context>
<context>
    <name>ChatView</name>
    <message>
        <source>Conversation</source>
        <translation>Unterhaltung</translation>
    </message>
    <message>
        <source>To the newest message</source>
        <translation>Zur neuesten Nachricht</translation>
    </message>
</context>
<context>
    <name>ChoiceField</name>
    <message>
        <source>auto</source>
        <translation>auto</translation>
    </message>
    <message>
        <source>on</source>
        <translation>ein</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
</context>
<context>
    <name>CodeBlock</name>
    <message>
        <source>Copy this code</source>
        <translation>Diesen Code kopieren</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>Code</translation>
    </message>
    <message>
        <source>code</source>
        <translation>Code</translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>Command palette</source>
        <translation>Befehlspalette</translation>
    </message>
    <message>
        <source>Type a command or a model</source>
        <translation>Befehl oder Modell eingeben</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>Befehle</translation>
    </message>
    <message>
        <source>Nothing is called that.</source>
        <translation>So heißt nichts.</translation>
    </message>
</context>
<context>
    <name>ConsentDialog</name>
    <message>
        <source>Run code from this checkpoint?</source>
        <translation>Code aus diesem Checkpoint ausführen?</translation>
    </message>
    <message>
        <source>Do not ask again for this folder as it is now</source>
        <translation>Für diesen Ordner, so wie er jetzt ist, nicht mehr fragen</translation>
    </message>
    <message>
        <source>Do not load</source>
        <translation>Nicht laden</translation>
    </message>
    <message>
        <source>Load and run it</source>
        <translation>Laden und ausführen</translation>
    </message>
    <message>
        <source>This model comes with Python code of its own, which runs with your rights when it is loaded.</source>
        <translation>Dieses Modell bringt eigenen Python-Code mit, der beim Laden mit Ihren Rechten läuft.</translation>
    </message>
    <message>
        <source>Its weights are pickles, which can run any program while they are read.</source>
        <translation>Seine Gewichte sind Pickles, die beim Lesen beliebige Programme ausführen können.</translation>
    </message>
    <message>
        <source>Load it only if you trust whoever made it.</source>
        <translation>Nur laden, wenn Sie dem Urheber vertrauen.</translation>
    </message>
</context>
<context>
    <name>ConsentList</name>
    <message>
        <source>None: KVDeck asks before it loads one.</source>
        <translation>Keine: KVDeck fragt, bevor es eines lädt.</translation>
    </message>
    <message>
        <source>Checkpoints whose code runs unasked</source>
        <translation>Checkpoints, deren Code ungefragt läuft</translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation>Wieder fragen</translation>
    </message>
    <message>
        <source>KVDeck asks again before it loads the selected checkpoints</source>
        <translation>KVDeck fragt wieder, bevor es die ausgewählten Checkpoints lädt</translation>
    </message>
    <message>
        <source>Checkpoints that run code of their own unasked</source>
        <translation>Checkpoints, die eigenen Code ungefragt ausführen</translation>
    </message>
    <message>
        <source>Python code</source>
        <translation>Python-Code</translation>
    </message>
    <message>
        <source>pickled weights</source>
        <translation>Gewichte als Pickles</translation>
    </message>
</context>
<context>
    <name>ConversationList</name>
    <message>
        <source>Search all chats</source>
        <translation>Alle Chats durchsuchen</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>Chats</translation>
    </message>
    <message>
        <source>No chats yet. What you write is kept here.</source>
        <translation>Noch keine Chats. Was Sie schreiben, bleibt hier.</translation>
    </message>
    <message>
        <source>Nothing found in any chat.</source>
        <translation>In keinem Chat gefunden.</translation>
    </message>
    <message>
        <source>Deleted “{}”</source>
        <translation>„{}“ gelöscht</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
</context>
<context>
    <name>CoreLoad</name>
    <message>
        <source>each core</source>
        <translation>je Kern</translation>
    </message>
    <message>
        <source>Load of each core</source>
        <translation>Auslastung jedes Kerns</translation>
    </message>
    <message>
        <source>core {0}: {1}</source>
        <translation>Kern {0}: {1}</translation>
    </message>
</context>
<context>
    <name>DataField</name>
    <message>
        <source>Texts</source>
        <translation>Texte</translation>
    </message>
    <message>
        <source>made up, all different</source>
        <translation>erfunden, alle verschieden</translation>
    </message>
    <message>
        <source>ShareGPT file</source>
        <translation>ShareGPT-Datei</translation>
    </message>
    <message>
        <source>my JSONL file</source>
        <translation>meine JSONL-Datei</translation>
    </message>
    <message>
        <source>recorded log</source>
        <translation>aufgezeichnetes Protokoll</translation>
    </message>
    <message>
        <source>File with the data</source>
        <translation>Datei mit den Daten</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>Datei wählen</translation>
    </message>
    <message>
        <source>Choose the file with the data</source>
        <translation>Die Datei mit den Daten wählen</translation>
    </message>
    <message>
        <source>Turns of a conversation</source>
        <translation>Runden eines Gesprächs</translation>
    </message>
    <message>
        <source>Each turn sends the whole past again, with the answers.</source>
        <translation>Jede Runde schickt alles Bisherige noch einmal, mit den Antworten.</translation>
    </message>
    <message>
        <source>No file is chosen. Choose the one with the data.</source>
        <translation>Keine Datei ist gewählt. Wählen Sie die mit den Daten.</translation>
    </message>
    <message>
        <source>There is no file {path}. Choose another one.</source>
        <translation>Es gibt keine Datei {path}. Wählen Sie eine andere.</translation>
    </message>
    <message>
        <source>turns of a conversation</source>
        <translation>Runden eines Gesprächs</translation>
    </message>
    <message>
        <source>Data (*.json *.jsonl *.kvdeck);;All files (*)</source>
        <translation>Daten (*.json *.jsonl *.kvdeck);;Alle Dateien (*)</translation>
    </message>
</context>
<context>
    <name>DifferenceTable</name>
    <message>
        <source>Differences between the runs</source>
        <translation>Unterschiede der Läufe</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>Kennzahl</translation>
    </message>
    <message>
        <source>A setting that differs</source>
        <translation>Eine Einstellung, die sich unterscheidet</translation>
    </message>
</context>
<context>
    <name>DifferencesTable</name>
    <message>
        <source>Parameter</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>In force</source>
        <translation>Wirksam</translation>
    </message>
    <message>
        <source>at once</source>
        <translation>sofort</translation>
    </message>
    <message>
        <source>with a reload</source>
        <translation>nach Neuladen</translation>
    </message>
</context>
<context>
    <name>DistributionView</name>
    <message>
        <source>Latency</source>
        <translation>Latenz</translation>
    </message>
    <message>
        <source>Requests by latency</source>
        <translation>Anfragen nach Latenz</translation>
    </message>
    <message>
        <source>Over time</source>
        <translation>Zeitverlauf</translation>
    </message>
</context>
<context>
    <name>DownloadRow</name>
    <message>
        <source>Progress of {model}</source>
        <translation>Fortschritt von {model}</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Take out of the list</source>
        <translation>Aus der Liste nehmen</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>{size}, complete and checked</source>
        <translation>{size}, vollständig und geprüft</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} von {total}</translation>
    </message>
    <message>
        <source>Paused at {amount}</source>
        <translation>Angehalten bei {amount}</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>noch {time}</translation>
    </message>
</context>
<context>
    <name>Ending</name>
    <message>
        <source>Answer again</source>
        <translation>Neu antworten</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>What had been written is kept.</source>
        <translation>Was geschrieben war, bleibt.</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Angehalten.</translation>
    </message>
    <message>
        <source>The window was closed before this answer ended.</source>
        <translation>Das Fenster wurde geschlossen, bevor diese Antwort zu Ende war.</translation>
    </message>
    <message>
        <source>Cut off: the answer reached max_tokens or the end of the context.</source>
        <translation>Abgeschnitten: Die Antwort hat max_tokens oder das Ende des Kontexts erreicht.</translation>
    </message>
</context>
<context>
    <name>Engine</name>
    <message>
        <source>There is no {file} in this folder.</source>
        <translation>In diesem Ordner gibt es kein {file}.</translation>
    </message>
    <message>
        <source>{file} is cut short: {have} of {need} bytes are there.</source>
        <translation>{file} ist abgeschnitten: {have} von {need} Bytes sind da.</translation>
    </message>
    <message>
        <source>Its weights are in {file}, a pickle, which can run any code when it is opened.</source>
        <translation>Seine Gewichte liegen in {file}, einem Pickle, das beim Öffnen beliebigen Code ausführen kann.</translation>
    </message>
    <message>
        <source>Its rank is {rank}; this engine has room for rank {most} (max_lora_rank).</source>
        <translation>Sein Rang ist {rank}; diese Engine hat Platz für Rang {most} (max_lora_rank).</translation>
    </message>
    <message>
        <source>It is an adapter of the kind {kind}; vLLM loads LoRA only.</source>
        <translation>Das ist ein Adapter der Art {kind}; vLLM lädt nur LoRA.</translation>
    </message>
    <message>
        <source>Its configuration says rank {rank}, its weights have {own} ({module}).</source>
        <translation>Seine Konfiguration nennt Rang {rank}, seine Gewichte haben {own} ({module}).</translation>
    </message>
    <message>
        <source>It changes layer {layer}; this model has the layers 0 to {last}.</source>
        <translation>Er ändert Schicht {layer}; dieses Modell hat die Schichten 0 bis {last}.</translation>
    </message>
    <message>
        <source>It was made for another model: its {module} has width {own}, this model&apos;s {wanted}.</source>
        <translation>Er wurde für ein anderes Modell gemacht: Sein {module} hat die Breite {own}, das dieses Modells {wanted}.</translation>
    </message>
    <message>
        <source>One request of max_model_len {length} tokens does not fit into the KV cache: {longest} do.</source>
        <translation>Eine Anfrage von max_model_len {length} Tokens passt nicht in den KV-Cache: {longest} passen.</translation>
    </message>
    <message>
        <source>Set max_model_len to {longest}.</source>
        <translation>max_model_len auf {longest} setzen.</translation>
    </message>
    <message>
        <source>Give the KV cache more room.</source>
        <translation>Dem KV-Cache mehr Raum geben.</translation>
    </message>
    <message>
        <source>Left over from an engine that is gone, and still holding memory: {named}.</source>
        <translation>Übrig von einer beendeten Engine und noch im Speicher: {named}.</translation>
    </message>
    <message>
        <source>End them to have it back.</source>
        <translation>Beenden, um ihn zurückzubekommen.</translation>
    </message>
    <message>
        <source>Only {free} are free in {folder}.</source>
        <translation>Nur {free} sind frei in {folder}.</translation>
    </message>
    <message>
        <source>Free some: compile caches and logs need it.</source>
        <translation>Etwas freigeben: Kompilate und Protokolle brauchen es.</translation>
    </message>
    <message>
        <source>It has no chat template: chat requests will be refused, completions work.</source>
        <translation>Er hat keine Chat-Vorlage: Chat-Anfragen werden abgelehnt, Vervollständigungen gehen.</translation>
    </message>
    <message>
        <source>Use its instruct variant to chat.</source>
        <translation>Zum Chatten seine Instruct-Variante nehmen.</translation>
    </message>
    <message>
        <source>A shared prompt is reused from {block} tokens on: blocks are that long.</source>
        <translation>Ein gemeinsamer Prompt wird ab {block} Tokens wiederverwendet: So lang sind die Blöcke.</translation>
    </message>
    <message>
        <source>Download it again, or choose another one.</source>
        <translation>Neu herunterladen oder einen anderen wählen.</translation>
    </message>
    <message>
        <source>Choose another format of this model.</source>
        <translation>Ein anderes Format dieses Modells wählen.</translation>
    </message>
    <message>
        <source>The weights need {weights} and about {beside} beside them; {budget} may be used.</source>
        <translation>Die Gewichte brauchen {weights} und etwa {beside} daneben; {budget} dürfen es sein.</translation>
    </message>
    <message>
        <source>Choose a smaller format of this model, or give the engine more memory.</source>
        <translation>Ein kleineres Format dieses Modells wählen oder der Engine mehr Speicher geben.</translation>
    </message>
    <message>
        <source>{free} of {total} are free, but gpu_memory_utilization {share} asks for {asked}.</source>
        <translation>{free} von {total} sind frei, aber gpu_memory_utilization {share} verlangt {asked}.</translation>
    </message>
    <message>
        <source>Set it to {possible}, or end what else uses the GPU.</source>
        <translation>Auf {possible} setzen oder beenden, was sonst die GPU nutzt.</translation>
    </message>
    <message>
        <source>{file} is empty.</source>
        <translation>{file} ist leer.</translation>
    </message>
    <message>
        <source>{file} holds no JSON object.</source>
        <translation>{file} enthält kein JSON-Objekt.</translation>
    </message>
    <message>
        <source>{file} has {size} bytes, far more than such a file can need.</source>
        <translation>{file} hat {size} Bytes, weit mehr, als so eine Datei brauchen kann.</translation>
    </message>
    <message>
        <source>Download or copy this file again.</source>
        <translation>Diese Datei neu herunterladen oder kopieren.</translation>
    </message>
    <message>
        <source>{file} cannot be read: {error}.</source>
        <translation>{file} kann nicht gelesen werden: {error}.</translation>
    </message>
    <message>
        <source>Check the file&apos;s permissions and disk.</source>
        <translation>Rechte der Datei und Platte prüfen.</translation>
    </message>
    <message>
        <source>{file} is not valid JSON ({error}).</source>
        <translation>{file} ist kein gültiges JSON ({error}).</translation>
    </message>
    <message>
        <source>{file} is damaged: {why}.</source>
        <translation>{file} ist beschädigt: {why}.</translation>
    </message>
    <message>
        <source>{file} is no whole GGUF file ({error}).</source>
        <translation>{file} ist keine vollständige GGUF-Datei ({error}).</translation>
    </message>
    <message>
        <source>{file} lacks {count} tensors that the index promises (first: {first}).</source>
        <translation>{file} fehlen {count} Tensoren, die das Verzeichnis verspricht (zuerst: {first}).</translation>
    </message>
    <message>
        <source>{count} of {total} weight files are missing (first: {first}): the download is incomplete.</source>
        <translation>{count} von {total} Gewichtsdateien fehlen (zuerst: {first}): Der Download ist unvollständig.</translation>
    </message>
    <message>
        <source>{file} is a download that has not finished.</source>
        <translation>{file} ist ein Download, der nicht fertig wurde.</translation>
    </message>
    <message>
        <source>There are no weights beside config.json: the download is incomplete.</source>
        <translation>Neben config.json liegen keine Gewichte: Der Download ist unvollständig.</translation>
    </message>
    <message>
        <source>config.json names neither an architecture nor a model type: this is no language model&apos;s configuration.</source>
        <translation>config.json nennt weder Architektur noch Modelltyp: Das ist nicht die Konfiguration eines Sprachmodells.</translation>
    </message>
    <message>
        <source>It is in Mistral&apos;s own layout (params.json), without a config.json for Hugging Face.</source>
        <translation>Er liegt in Mistrals eigener Form vor (params.json), ohne config.json für Hugging Face.</translation>
    </message>
    <message>
        <source>This is a LoRA adapter, which needs its base model.</source>
        <translation>Das ist ein LoRA-Adapter, der sein Grundmodell braucht.</translation>
    </message>
    <message>
        <source>This is a diffusers pipeline, not a language model.</source>
        <translation>Das ist eine Diffusers-Pipeline, kein Sprachmodell.</translation>
    </message>
    <message>
        <source>config.json is missing: the download is incomplete, or this is no whole checkpoint.</source>
        <translation>config.json fehlt: Der Download ist unvollständig, oder das ist kein ganzer Checkpoint.</translation>
    </message>
    <message>
        <source>This folder is no checkpoint: it has no config.json.</source>
        <translation>Dieser Ordner ist kein Checkpoint: Er hat keine config.json.</translation>
    </message>
    <message>
        <source>{folder} does not exist.</source>
        <translation>{folder} gibt es nicht.</translation>
    </message>
    <message>
        <source>{file} is a file, not a checkpoint&apos;s folder.</source>
        <translation>{file} ist eine Datei, kein Ordner eines Checkpoints.</translation>
    </message>
    <message>
        <source>There is no config.json in the draft&apos;s folder.</source>
        <translation>Im Ordner des Entwurfsmodells gibt es keine config.json.</translation>
    </message>
    <message>
        <source>There is no config.json in the model&apos;s folder.</source>
        <translation>Im Ordner des Modells gibt es keine config.json.</translation>
    </message>
    <message>
        <source>This head was made for a model of width {wanted}; this model&apos;s is {hidden}.</source>
        <translation>Dieser Kopf wurde für ein Modell der Breite {wanted} gemacht; dieses hat {hidden}.</translation>
    </message>
    <message>
        <source>The vocabularies differ: {own} tokens in the model, {draft} in the draft.</source>
        <translation>Die Vokabulare unterscheiden sich: {own} Tokens im Modell, {draft} im Entwurf.</translation>
    </message>
    <message>
        <source>The vocabularies differ: {moved} of {all} tokens have another number in the draft, or none.</source>
        <translation>Die Vokabulare unterscheiden sich: {moved} von {all} Tokens haben im Entwurf eine andere Nummer oder keine.</translation>
    </message>
    <message>
        <source>The method ngram_gpu looks n-grams up on a GPU.</source>
        <translation>Das Verfahren ngram_gpu sucht N-Gramme auf einer GPU.</translation>
    </message>
    <message>
        <source>Choose ngram.</source>
        <translation>ngram wählen.</translation>
    </message>
    <message>
        <source>Choose mp.</source>
        <translation>mp wählen.</translation>
    </message>
    <message>
        <source>It is a head that guesses ahead for another model: choose it there, by the method {method}.</source>
        <translation>Es ist ein Kopf, der für ein anderes Modell vorausrät: Wählen Sie ihn dort, mit der Methode {method}.</translation>
    </message>
    <message>
        <source>The method suffix needs Arctic Inference, which is not installed.</source>
        <translation>Das Verfahren suffix braucht Arctic Inference, das nicht installiert ist.</translation>
    </message>
    <message>
        <source>Install it into KVDeck&apos;s environment (pip install arctic-inference), or choose ngram.</source>
        <translation>In KVDecks Umgebung installieren (pip install arctic-inference) oder ngram wählen.</translation>
    </message>
    <message>
        <source>This checkpoint has no layers that predict several tokens (MTP).</source>
        <translation>Dieser Checkpoint hat keine Schichten, die mehrere Tokens vorhersagen (MTP).</translation>
    </message>
    <message>
        <source>Choose ngram, or a draft model.</source>
        <translation>ngram oder ein Entwurfsmodell wählen.</translation>
    </message>
    <message>
        <source>The draft checkpoint {model} is not there.</source>
        <translation>Der Entwurfs-Checkpoint {model} ist nicht da.</translation>
    </message>
    <message>
        <source>Choose one from the library.</source>
        <translation>Einen aus der Bibliothek wählen.</translation>
    </message>
    <message>
        <source>{name} is a head for the method {own}, and the method is {method}.</source>
        <translation>{name} ist ein Kopf für das Verfahren {own}, und das Verfahren ist {method}.</translation>
    </message>
    <message>
        <source>Choose the method {method}.</source>
        <translation>Das Verfahren {method} wählen.</translation>
    </message>
    <message>
        <source>vLLM starts workers by Ray on GPUs only; this engine runs on the CPU.</source>
        <translation>vLLM startet Worker mit Ray nur auf GPUs; diese Engine läuft auf der CPU.</translation>
    </message>
    <message>
        <source>{name} cannot draft for this model. {problem}</source>
        <translation>{name} kann für dieses Modell nicht vorarbeiten. {problem}</translation>
    </message>
    <message>
        <source>Choose a draft of the same family, or the method ngram.</source>
        <translation>Ein Entwurfsmodell derselben Familie oder das Verfahren ngram wählen.</translation>
    </message>
    <message>
        <source>vLLM is not installed.</source>
        <translation>vLLM ist nicht installiert.</translation>
    </message>
    <message>
        <source>Run make run, which installs it.</source>
        <translation>make run ausführen, das installiert es.</translation>
    </message>
    <message>
        <source>The installed vLLM cannot be used: {why}</source>
        <translation>Das installierte vLLM ist nicht zu gebrauchen: {why}</translation>
    </message>
    <message>
        <source>Install it again with make run.</source>
        <translation>Mit make run neu installieren.</translation>
    </message>
    <message>
        <source>vLLM did not answer within {patience} s.</source>
        <translation>vLLM antwortete nicht innerhalb von {patience} s.</translation>
    </message>
    <message>
        <source>Try again when the machine is less busy.</source>
        <translation>Noch einmal versuchen, wenn der Rechner weniger zu tun hat.</translation>
    </message>
    <message>
        <source>These engine processes did not end: {pids}.</source>
        <translation>Diese Prozesse der Engine endeten nicht: {pids}.</translation>
    </message>
    <message>
        <source>End them yourself (kill -9), or restart the system.</source>
        <translation>Selbst beenden (kill -9) oder das System neu starten.</translation>
    </message>
    <message>
        <source>{name} cannot run here. {reason}</source>
        <translation>{name} kann hier nicht laufen. {reason}</translation>
    </message>
    <message>
        <source>Choose another variant of this model, or another model.</source>
        <translation>Eine andere Variante dieses Modells oder ein anderes Modell wählen.</translation>
    </message>
    <message>
        <source>{name} brings program code of its own, which would run with your rights.</source>
        <translation>{name} bringt eigenen Programmcode mit, der mit Ihren Rechten laufen würde.</translation>
    </message>
    <message>
        <source>Allow it only if you trust where this checkpoint comes from, then load it again.</source>
        <translation>Nur erlauben, wenn Sie der Herkunft dieses Checkpoints trauen, dann neu laden.</translation>
    </message>
    <message>
        <source>{name} keeps its weights in pickles ({first}), which can run any code when they are opened.</source>
        <translation>{name} hält seine Gewichte in Pickles ({first}), die beim Öffnen beliebigen Code ausführen können.</translation>
    </message>
    <message>
        <source>Allow it only if you trust where this checkpoint comes from, or choose one with safetensors.</source>
        <translation>Nur erlauben, wenn Sie der Herkunft dieses Checkpoints trauen, oder einen mit Safetensors wählen.</translation>
    </message>
    <message>
        <source>max_model_len is {wanted} tokens, but {name} was made for {limit}.</source>
        <translation>max_model_len ist {wanted} Tokens, aber {name} wurde für {limit} gemacht.</translation>
    </message>
    <message>
        <source>Lower max_model_len to {limit} or less.</source>
        <translation>max_model_len auf {limit} oder weniger senken.</translation>
    </message>
    <message>
        <source>Choose another checkpoint, or download this one again.</source>
        <translation>Einen anderen Checkpoint wählen oder diesen neu herunterladen.</translation>
    </message>
    <message>
        <source>Choose another checkpoint; this one was moved or deleted.</source>
        <translation>Einen anderen Checkpoint wählen; dieser wurde verschoben oder gelöscht.</translation>
    </message>
    <message>
        <source>Choose a folder that holds config.json and the weights, or download it again.</source>
        <translation>Einen Ordner mit config.json und den Gewichten wählen oder neu herunterladen.</translation>
    </message>
    <message>
        <source>Of {copies} engines the window shows one, chosen above the block map; prefixes are those of the first.</source>
        <translation>Von {copies} Engines zeigt das Fenster eine, gewählt über der Blockkarte; Präfixe sind die der ersten.</translation>
    </message>
    <message>
        <source>There is no Ray cluster: Ray starts one on this machine alone.</source>
        <translation>Es gibt keinen Ray-Cluster: Ray startet einen auf diesem Rechner allein.</translation>
    </message>
    <message>
        <source>{workers} workers (tensor × pipeline × data parallel) need a core each, and there are {cores}.</source>
        <translation>{workers} Worker (tensor × pipeline × datenparallel) brauchen je einen Kern, und da sind {cores}.</translation>
    </message>
    <message>
        <source>Lower the parallel sizes.</source>
        <translation>Die Parallelgrößen senken.</translation>
    </message>
    <message>
        <source>distributed_executor_backend is ray, and Ray is not installed.</source>
        <translation>distributed_executor_backend ist ray, und Ray ist nicht installiert.</translation>
    </message>
    <message>
        <source>Install it into KVDeck&apos;s environment (pip install ray), or choose mp for GPUs of this machine.</source>
        <translation>In KVDecks Umgebung installieren (pip install ray) oder mp für GPUs dieses Rechners wählen.</translation>
    </message>
    <message>
        <source>Ray {version} is installed; vLLM needs {oldest} or newer.</source>
        <translation>Ray {version} ist installiert; vLLM braucht {oldest} oder neuer.</translation>
    </message>
    <message>
        <source>Update it in KVDeck&apos;s environment (pip install -U ray), on every machine of the cluster.</source>
        <translation>In KVDecks Umgebung aktualisieren (pip install -U ray), auf jedem Rechner des Clusters.</translation>
    </message>
    <message>
        <source>The Ray cluster at {address} does not answer.</source>
        <translation>Der Ray-Cluster unter {address} antwortet nicht.</translation>
    </message>
    <message>
        <source>Start its head (ray start --head), check RAY_ADDRESS and the network, or choose mp.</source>
        <translation>Seinen Kopf starten (ray start --head), RAY_ADDRESS und das Netz prüfen oder mp wählen.</translation>
    </message>
    <message>
        <source>The starter model is being built already.</source>
        <translation>Das Startmodell wird schon gebaut.</translation>
    </message>
    <message>
        <source>Wait for it, or cancel it.</source>
        <translation>Abwarten oder abbrechen.</translation>
    </message>
    <message>
        <source>The starter model has no variant {key}.</source>
        <translation>Das Startmodell hat keine Variante {key}.</translation>
    </message>
    <message>
        <source>Choose from {known}.</source>
        <translation>Wählen aus {known}.</translation>
    </message>
    <message>
        <source>The starter model&apos;s recipe {path} cannot be read: {error}.</source>
        <translation>Das Rezept des Startmodells {path} kann nicht gelesen werden: {error}.</translation>
    </message>
    <message>
        <source>Install KVDeck again.</source>
        <translation>KVDeck neu installieren.</translation>
    </message>
    <message>
        <source>The {label} variant of the starter model needs {needed} MB in {folder}, {free} MB are free.</source>
        <translation>Die Variante {label} des Startmodells braucht {needed} MB in {folder}, {free} MB sind frei.</translation>
    </message>
    <message>
        <source>Free {size} MB there and build again; what is finished is kept.</source>
        <translation>Dort {size} MB freigeben und neu bauen; was fertig ist, bleibt.</translation>
    </message>
    <message>
        <source>Another build of the starter model is running in {folder}.</source>
        <translation>Ein anderer Bau des Startmodells läuft in {folder}.</translation>
    </message>
    <message>
        <source>Wait until it has ended, or cancel it.</source>
        <translation>Sein Ende abwarten oder ihn abbrechen.</translation>
    </message>
    <message>
        <source>The starter model&apos;s source, the Python package {package}, is not installed.</source>
        <translation>Die Quelle des Startmodells, das Python-Paket {package}, ist nicht installiert.</translation>
    </message>
    <message>
        <source>The build was cancelled.</source>
        <translation>Der Bau wurde abgebrochen.</translation>
    </message>
    <message>
        <source>Build again to go on where it stopped.</source>
        <translation>Neu bauen, um dort weiterzumachen, wo er aufhörte.</translation>
    </message>
    <message>
        <source>vLLM {version} does not know the architecture {name}.</source>
        <translation>vLLM {version} kennt die Architektur {name} nicht.</translation>
    </message>
    <message>
        <source>vLLM has no {name} of its own and runs it through transformers, which is slower.</source>
        <translation>vLLM hat kein eigenes {name} und führt es mit Transformers aus, was langsamer ist.</translation>
    </message>
    <message>
        <source>vLLM has no {name} of its own; the checkpoint&apos;s own code would have to run.</source>
        <translation>vLLM hat kein eigenes {name}; der Code des Checkpoints müsste laufen.</translation>
    </message>
    <message>
        <source>The installed vLLM {version} has no support for {label} ({method}).</source>
        <translation>Das installierte vLLM {version} unterstützt {label} nicht ({method}).</translation>
    </message>
    <message>
        <source>vLLM 0.32 and later refuse GPTQ with activation order (desc_act) in groups.</source>
        <translation>vLLM ab 0.32 lehnt GPTQ mit Aktivierungsordnung (desc_act) in Gruppen ab.</translation>
    </message>
    <message>
        <source>vLLM&apos;s kernels take groups of {listed} or whole channels; this checkpoint has groups of {size}.</source>
        <translation>Die Kernel von vLLM nehmen Gruppen von {listed} oder ganze Kanäle; dieser Checkpoint hat Gruppen von {size}.</translation>
    </message>
    <message>
        <source>The {gpu} does not compute in {label}: it saves memory, not time.</source>
        <translation>Die {gpu} rechnet nicht in {label}: Das spart Speicher, keine Zeit.</translation>
    </message>
    <message>
        <source>The weights need {weights} GiB; this machine has {total} GiB of {where}.</source>
        <translation>Die Gewichte brauchen {weights} GiB; dieser Rechner hat {total} GiB {where}.</translation>
    </message>
    <message>
        <source>VRAM on {count} GPUs</source>
        <translation>VRAM auf {count} GPUs</translation>
    </message>
    <message>
        <source>This CPU has no {kind} kernels: weights are unpacked at load, and take {size} GiB.</source>
        <translation>Diese CPU hat keine {kind}-Kernel: Die Gewichte werden beim Laden entpackt und brauchen {size} GiB.</translation>
    </message>
    <message>
        <source>This CPU has no {kind} kernels: weights are unpacked at load.</source>
        <translation>Diese CPU hat keine {kind}-Kernel: Die Gewichte werden beim Laden entpackt.</translation>
    </message>
    <message>
        <source>This CPU has no bfloat16 arithmetic: it runs in float32, with twice the memory.</source>
        <translation>Diese CPU rechnet nicht in bfloat16: Es läuft in float32, mit doppeltem Speicher.</translation>
    </message>
    <message>
        <source>vLLM has kernels for AWQ at 4 bit only; this checkpoint has {bits} bit.</source>
        <translation>vLLM hat Kernel für AWQ nur mit 4 Bit; dieser Checkpoint hat {bits} Bit.</translation>
    </message>
    <message>
        <source>vLLM has kernels for symmetric GPTQ at 4 and 8 bit; this checkpoint is {form} at {bits} bit.</source>
        <translation>vLLM hat Kernel für symmetrisches GPTQ mit 4 und 8 Bit; dieser Checkpoint ist {form} mit {bits} Bit.</translation>
    </message>
    <message>
        <source>symmetric</source>
        <translation>symmetrisch</translation>
    </message>
    <message>
        <source>asymmetric</source>
        <translation>asymmetrisch</translation>
    </message>
    <message>
        <source>vLLM has no CPU kernel for GPTQ at 8 bit; the FP8 or INT8 variant runs.</source>
        <translation>vLLM hat keinen CPU-Kernel für GPTQ mit 8 Bit; die Variante FP8 oder INT8 läuft.</translation>
    </message>
    <message>
        <source>vLLM has no CPU kernel for {label} weights.</source>
        <translation>vLLM hat keinen CPU-Kernel für {label}-Gewichte.</translation>
    </message>
    <message>
        <source>vLLM has no CPU kernel for 8-bit weights with 16-bit activations.</source>
        <translation>vLLM hat keinen CPU-Kernel für 8-Bit-Gewichte mit 16-Bit-Aktivierungen.</translation>
    </message>
    <message>
        <source>The CPU kernel takes no odd group size ({size}).</source>
        <translation>Der CPU-Kernel nimmt keine ungerade Gruppengröße ({size}).</translation>
    </message>
    <message>
        <source>{needs}; the {gpu} has {has}.</source>
        <translation>{needs}; die {gpu} hat {has}.</translation>
    </message>
    <message>
        <source>{label} needs compute capability {needs}</source>
        <translation>{label} braucht Compute Capability {needs}</translation>
    </message>
    <message>
        <source>{name} is {what}, and the method is {method}.</source>
        <translation>{name} ist {what}, und das Verfahren ist {method}.</translation>
    </message>
    <message>
        <source>a model of its own</source>
        <translation>ein eigenes Modell</translation>
    </message>
    <message>
        <source>a head for the method {method}</source>
        <translation>ein Kopf für das Verfahren {method}</translation>
    </message>
    <message>
        <source>Under WSL2 vLLM copies without pinned memory, and the driver tells no program&apos;s own VRAM (shown as —).</source>
        <translation>Unter WSL2 kopiert vLLM ohne festgehaltenen Speicher, und der Treiber nennt den VRAM einzelner Programme nicht (gezeigt als —).</translation>
    </message>
    <message>
        <source>On kernels from 4.19.121, VLLM_WSL2_ENABLE_PIN_MEMORY=1 in the environment gives pinned memory back.</source>
        <translation>Ab Kernel 4.19.121 bringt VLLM_WSL2_ENABLE_PIN_MEMORY=1 in der Umgebung den festgehaltenen Speicher zurück.</translation>
    </message>
    <message>
        <source>The {gpu} has no bfloat16: vLLM runs it in float16.</source>
        <translation>Die {gpu} hat kein bfloat16: vLLM rechnet in float16.</translation>
    </message>
    <message>
        <source>{name}: {problem}</source>
        <translation>{name}: {problem}</translation>
    </message>
    <message>
        <source>One request of {wanted} tokens needs {needed} GiB of KV cache, and {available} GiB are there: {fits} tokens fit.</source>
        <translation>Eine Anfrage von {wanted} Tokens braucht {needed} GiB KV-Cache, und {available} GiB sind da: {fits} Tokens passen.</translation>
    </message>
    <message>
        <source>One request of {wanted} tokens needs {needed} GiB of KV cache, and {available} GiB are there.</source>
        <translation>Eine Anfrage von {wanted} Tokens braucht {needed} GiB KV-Cache, und {available} GiB sind da.</translation>
    </message>
    <message>
        <source>One request of {wanted} tokens is more than the KV cache holds: {fits} tokens fit.</source>
        <translation>Eine Anfrage von {wanted} Tokens ist mehr, als der KV-Cache fasst: {fits} Tokens passen.</translation>
    </message>
    <message>
        <source>One request of {wanted} tokens is more than the KV cache holds.</source>
        <translation>Eine Anfrage von {wanted} Tokens ist mehr, als der KV-Cache fasst.</translation>
    </message>
    <message>
        <source>Lower max_model_len, or give the KV cache more memory.</source>
        <translation>max_model_len senken oder dem KV-Cache mehr Speicher geben.</translation>
    </message>
    <message>
        <source>max_model_len: {wanted} tokens</source>
        <translation>max_model_len: {wanted} Tokens</translation>
    </message>
    <message>
        <source>needs: {needed} GiB</source>
        <translation>braucht: {needed} GiB</translation>
    </message>
    <message>
        <source>there is: {available} GiB</source>
        <translation>da ist: {available} GiB</translation>
    </message>
    <message>
        <source>fits: {fits} tokens</source>
        <translation>passt: {fits} Tokens</translation>
    </message>
    <message>
        <source>free: {free}</source>
        <translation>frei: {free}</translation>
    </message>
    <message>
        <source>total: {total}</source>
        <translation>gesamt: {total}</translation>
    </message>
    <message>
        <source>asked for: {wanted}</source>
        <translation>verlangt: {wanted}</translation>
    </message>
    <message>
        <source>the GPU has: {total}</source>
        <translation>die GPU hat: {total}</translation>
    </message>
    <message>
        <source>left for the KV cache: {there}</source>
        <translation>bleibt für den KV-Cache: {there}</translation>
    </message>
    <message>
        <source>requests at once: {requests}</source>
        <translation>Anfragen zugleich: {requests}</translation>
    </message>
    <message>
        <source>the model&apos;s context: {limit} tokens</source>
        <translation>Kontext des Modells: {limit} Tokens</translation>
    </message>
    <message>
        <source>process: {name}</source>
        <translation>Prozess: {name}</translation>
    </message>
    <message>
        <source>/dev/shm: {free} MiB free</source>
        <translation>/dev/shm: {free} MiB frei</translation>
    </message>
    <message>
        <source>more memory</source>
        <translation>mehr Speicher</translation>
    </message>
    <message>
        <source>main memory</source>
        <translation>Hauptspeicher</translation>
    </message>
    <message>
        <source>Weights and activations leave no memory for the KV cache.</source>
        <translation>Gewichte und Aktivierungen lassen keinen Speicher für den KV-Cache.</translation>
    </message>
    <message>
        <source>Raise gpu_memory_utilization, lower max_num_batched_tokens, or choose a smaller or quantized checkpoint.</source>
        <translation>gpu_memory_utilization anheben, max_num_batched_tokens senken oder einen kleineren oder quantisierten Checkpoint wählen.</translation>
    </message>
    <message>
        <source>{wanted} GiB of {memory} were asked for, and {free} of {total} GiB are free.</source>
        <translation>{wanted} GiB {memory} waren verlangt, und {free} von {total} GiB sind frei.</translation>
    </message>
    <message>
        <source>Close what else uses the memory, or lower gpu_memory_utilization.</source>
        <translation>Schließen, was sonst den Speicher belegt, oder gpu_memory_utilization senken.</translation>
    </message>
    <message>
        <source>The KV cache was to take {wanted} GiB of main memory, and {free} GiB are free.</source>
        <translation>Der KV-Cache sollte {wanted} GiB Hauptspeicher bekommen, und {free} GiB sind frei.</translation>
    </message>
    <message>
        <source>Close other programs, or reserve less for the KV cache.</source>
        <translation>Andere Programme schließen oder weniger für den KV-Cache reservieren.</translation>
    </message>
    <message>
        <source>The GPU ran out of memory: the engine asked for {tried} more.</source>
        <translation>Der GPU ging der Speicher aus: Die Engine verlangte noch {tried}.</translation>
    </message>
    <message>
        <source>The GPU ran out of memory while the weights were loaded: the engine asked for {tried} more.</source>
        <translation>Der GPU ging der Speicher aus, als die Gewichte geladen wurden: Die Engine verlangte noch {tried}.</translation>
    </message>
    <message>
        <source>The GPU ran out of memory while the model was compiled: the engine asked for {tried} more.</source>
        <translation>Der GPU ging der Speicher aus, als das Modell kompiliert wurde: Die Engine verlangte noch {tried}.</translation>
    </message>
    <message>
        <source>The GPU ran out of memory while a full step was tried out: the engine asked for {tried} more.</source>
        <translation>Der GPU ging der Speicher aus, als ein voller Schritt erprobt wurde: Die Engine verlangte noch {tried}.</translation>
    </message>
    <message>
        <source>The GPU ran out of memory while CUDA graphs were captured: the engine asked for {tried} more.</source>
        <translation>Der GPU ging der Speicher aus, als CUDA-Graphen aufgenommen wurden: Die Engine verlangte noch {tried}.</translation>
    </message>
    <message>
        <source>The GPU ran out of memory while the KV cache was made: the engine asked for {tried} more.</source>
        <translation>Der GPU ging der Speicher aus, als der KV-Cache angelegt wurde: Die Engine verlangte noch {tried}.</translation>
    </message>
    <message>
        <source>The GPU ran out of memory at the first token: the engine asked for {tried} more.</source>
        <translation>Der GPU ging beim ersten Token der Speicher aus: Die Engine verlangte noch {tried}.</translation>
    </message>
    <message>
        <source>Close what else uses the GPU, lower gpu_memory_utilization or max_num_seqs, or choose a 4-bit checkpoint.</source>
        <translation>Schließen, was sonst die GPU nutzt, gpu_memory_utilization oder max_num_seqs senken oder einen 4-Bit-Checkpoint wählen.</translation>
    </message>
    <message>
        <source>The GPU ran out of memory while the {what} was tried out with {requests} requests at once.</source>
        <translation>Der GPU ging der Speicher aus, als {what} mit {requests} Anfragen zugleich erprobt wurde.</translation>
    </message>
    <message>
        <source>Lower max_num_seqs or gpu_memory_utilization.</source>
        <translation>max_num_seqs oder gpu_memory_utilization senken.</translation>
    </message>
    <message>
        <source>Main memory ran out: the engine asked for {tried} more.</source>
        <translation>Der Hauptspeicher ging aus: Die Engine verlangte noch {tried}.</translation>
    </message>
    <message>
        <source>Main memory ran out while the weights were loaded: the engine asked for {tried} more.</source>
        <translation>Der Hauptspeicher ging aus, als die Gewichte geladen wurden: Die Engine verlangte noch {tried}.</translation>
    </message>
    <message>
        <source>Main memory ran out while the model was compiled: the engine asked for {tried} more.</source>
        <translation>Der Hauptspeicher ging aus, als das Modell kompiliert wurde: Die Engine verlangte noch {tried}.</translation>
    </message>
    <message>
        <source>Main memory ran out while a full step was tried out: the engine asked for {tried} more.</source>
        <translation>Der Hauptspeicher ging aus, als ein voller Schritt erprobt wurde: Die Engine verlangte noch {tried}.</translation>
    </message>
    <message>
        <source>Main memory ran out while CUDA graphs were captured: the engine asked for {tried} more.</source>
        <translation>Der Hauptspeicher ging aus, als CUDA-Graphen aufgenommen wurden: Die Engine verlangte noch {tried}.</translation>
    </message>
    <message>
        <source>Main memory ran out while the KV cache was made: the engine asked for {tried} more.</source>
        <translation>Der Hauptspeicher ging aus, als der KV-Cache angelegt wurde: Die Engine verlangte noch {tried}.</translation>
    </message>
    <message>
        <source>Main memory ran out at the first token: the engine asked for {tried} more.</source>
        <translation>Der Hauptspeicher ging beim ersten Token aus: Die Engine verlangte noch {tried}.</translation>
    </message>
    <message>
        <source>Close other programs, reserve less for the KV cache, or choose a smaller checkpoint.</source>
        <translation>Andere Programme schließen, weniger für den KV-Cache reservieren oder einen kleineren Checkpoint wählen.</translation>
    </message>
    <message>
        <source>Reserve {space} GiB for the KV cache</source>
        <translation>{space} GiB für den KV-Cache reservieren</translation>
    </message>
    <message>
        <source>Raise gpu_memory_utilization to {more}</source>
        <translation>gpu_memory_utilization auf {more} anheben</translation>
    </message>
    <message>
        <source>Lower gpu_memory_utilization to {lower}</source>
        <translation>gpu_memory_utilization auf {lower} senken</translation>
    </message>
    <message>
        <source>Set {name} to {value}</source>
        <translation>{name} auf {value} setzen</translation>
    </message>
    <message>
        <source>Load without CUDA graphs (enforce_eager)</source>
        <translation>Ohne CUDA-Graphen laden (enforce_eager)</translation>
    </message>
    <message>
        <source>Load without compiling (enforce_eager)</source>
        <translation>Ohne Kompilieren laden (enforce_eager)</translation>
    </message>
    <message>
        <source>Switch enable_chunked_prefill on</source>
        <translation>enable_chunked_prefill einschalten</translation>
    </message>
    <message>
        <source>Leave quantization to vLLM</source>
        <translation>quantization vLLM überlassen</translation>
    </message>
    <message>
        <source>Keep 8 GiB of the weights in main memory (cpu_offload_gb)</source>
        <translation>8 GiB der Gewichte im Hauptspeicher halten (cpu_offload_gb)</translation>
    </message>
    <message>
        <source>The checkpoint is quantized with {own}, and quantization asks for {asked}.</source>
        <translation>Der Checkpoint ist mit {own} quantisiert, und quantization verlangt {asked}.</translation>
    </message>
    <message>
        <source>Leave quantization empty: vLLM reads it from the checkpoint and takes its fastest kernel.</source>
        <translation>quantization leer lassen: vLLM liest es aus dem Checkpoint und nimmt seinen schnellsten Kernel.</translation>
    </message>
    <message>
        <source>max_model_len is {wanted} tokens, and the model was made for {limit}.</source>
        <translation>max_model_len ist {wanted} Tokens, und das Modell wurde für {limit} gemacht.</translation>
    </message>
    <message>
        <source>Set max_model_len to {limit} or less.</source>
        <translation>max_model_len auf {limit} oder weniger setzen.</translation>
    </message>
    <message>
        <source>{method} weights cannot be computed in {dtype} here.</source>
        <translation>{method}-Gewichte lassen sich hier nicht in {dtype} rechnen.</translation>
    </message>
    <message>
        <source>Choose dtype {dtypes}.</source>
        <translation>dtype {dtypes} wählen.</translation>
    </message>
    <message>
        <source>The model&apos;s {heads} attention heads cannot be split over {parts} devices.</source>
        <translation>Die {heads} Attention-Köpfe des Modells lassen sich nicht auf {parts} Geräte verteilen.</translation>
    </message>
    <message>
        <source>Choose a tensor_parallel_size that divides the heads.</source>
        <translation>Ein tensor_parallel_size wählen, das die Köpfe teilt.</translation>
    </message>
    <message>
        <source>torch.compile found no working compiler or headers here ({what}).</source>
        <translation>torch.compile fand hier keinen brauchbaren Compiler oder keine Header ({what}).</translation>
    </message>
    <message>
        <source>Install a C++ compiler and Python&apos;s headers, or load without compiling.</source>
        <translation>Einen C++-Compiler und Pythons Header installieren oder ohne Kompilieren laden.</translation>
    </message>
    <message>
        <source>max_num_batched_tokens ({tokens}) is below max_model_len ({length}), and chunked prefill is off.</source>
        <translation>max_num_batched_tokens ({tokens}) liegt unter max_model_len ({length}), und Chunked Prefill ist aus.</translation>
    </message>
    <message>
        <source>Switch chunked prefill on, or raise max_num_batched_tokens.</source>
        <translation>Chunked Prefill einschalten oder max_num_batched_tokens anheben.</translation>
    </message>
    <message>
        <source>max_num_batched_tokens ({tokens}) is below max_num_seqs ({seqs}).</source>
        <translation>max_num_batched_tokens ({tokens}) liegt unter max_num_seqs ({seqs}).</translation>
    </message>
    <message>
        <source>Raise max_num_batched_tokens, or lower max_num_seqs.</source>
        <translation>max_num_batched_tokens anheben oder max_num_seqs senken.</translation>
    </message>
    <message>
        <source>This release of vLLM does not know the architecture {arch}.</source>
        <translation>Diese Version von vLLM kennt die Architektur {arch} nicht.</translation>
    </message>
    <message>
        <source>Choose another checkpoint, or install a release of vLLM that knows it.</source>
        <translation>Einen anderen Checkpoint wählen oder eine vLLM-Version installieren, die sie kennt.</translation>
    </message>
    <message>
        <source>The model type {type} is not known to the installed libraries.</source>
        <translation>Die installierten Bibliotheken kennen den Modelltyp {type} nicht.</translation>
    </message>
    <message>
        <source>Choose another checkpoint, or update the engine.</source>
        <translation>Einen anderen Checkpoint wählen oder die Engine aktualisieren.</translation>
    </message>
    <message>
        <source>The quantization {method} needs a GPU of compute capability {needs}; this one has {has}.</source>
        <translation>Die Quantisierung {method} braucht eine GPU der Compute Capability {needs}; diese hat {has}.</translation>
    </message>
    <message>
        <source>Choose AWQ, GPTQ or an unquantized checkpoint.</source>
        <translation>AWQ, GPTQ oder einen unquantisierten Checkpoint wählen.</translation>
    </message>
    <message>
        <source>vLLM has no quantization method {method}.</source>
        <translation>vLLM hat kein Quantisierungsverfahren {method}.</translation>
    </message>
    <message>
        <source>Choose a checkpoint quantized with AWQ, GPTQ, FP8 or INT8.</source>
        <translation>Einen mit AWQ, GPTQ, FP8 oder INT8 quantisierten Checkpoint wählen.</translation>
    </message>
    <message>
        <source>{method} does not run on this device ({device}).</source>
        <translation>{method} läuft auf diesem Gerät nicht ({device}).</translation>
    </message>
    <message>
        <source>Choose a checkpoint with another quantization.</source>
        <translation>Einen Checkpoint mit anderer Quantisierung wählen.</translation>
    </message>
    <message>
        <source>A weight file is damaged or cut short. {why}</source>
        <translation>Eine Gewichtsdatei ist beschädigt oder abgeschnitten. {why}</translation>
    </message>
    <message>
        <source>Download the checkpoint again.</source>
        <translation>Den Checkpoint neu herunterladen.</translation>
    </message>
    <message>
        <source>This checkpoint brings Python code of its own, which may only run with your consent.</source>
        <translation>Dieser Checkpoint bringt eigenen Python-Code mit, der nur mit Ihrer Zustimmung laufen darf.</translation>
    </message>
    <message>
        <source>Allow remote code for this checkpoint if you trust where it comes from.</source>
        <translation>Fremden Code für diesen Checkpoint erlauben, wenn Sie seiner Herkunft trauen.</translation>
    </message>
    <message>
        <source>This build of vLLM has no kernel for the checkpoint on this processor ({kernel} is missing).</source>
        <translation>Dieser Build von vLLM hat auf diesem Prozessor keinen Kernel für den Checkpoint ({kernel} fehlt).</translation>
    </message>
    <message>
        <source>Choose an unquantized or an INT8 checkpoint.</source>
        <translation>Einen unquantisierten oder einen INT8-Checkpoint wählen.</translation>
    </message>
    <message>
        <source>The installed CUDA build of vLLM was not made for this GPU.</source>
        <translation>Der installierte CUDA-Build von vLLM wurde nicht für diese GPU gemacht.</translation>
    </message>
    <message>
        <source>Install a build of vLLM for this GPU&apos;s generation.</source>
        <translation>Einen Build von vLLM für die Generation dieser GPU installieren.</translation>
    </message>
    <message>
        <source>{world} GPUs were asked for, and {gpus} are here.</source>
        <translation>{world} GPUs waren verlangt, und {gpus} sind hier.</translation>
    </message>
    <message>
        <source>Lower tensor_parallel_size, pipeline_parallel_size or data_parallel_size.</source>
        <translation>tensor_parallel_size, pipeline_parallel_size oder data_parallel_size senken.</translation>
    </message>
    <message>
        <source>The NVIDIA driver does not answer, or is older than this build of vLLM needs.</source>
        <translation>Der NVIDIA-Treiber antwortet nicht oder ist älter, als dieser Build von vLLM braucht.</translation>
    </message>
    <message>
        <source>Update or restart the NVIDIA driver.</source>
        <translation>Den NVIDIA-Treiber aktualisieren oder neu starten.</translation>
    </message>
    <message>
        <source>A disk is full.</source>
        <translation>Eine Platte ist voll.</translation>
    </message>
    <message>
        <source>vLLM needs {needed} MiB of /dev/shm for what its processes share; {free} MiB are free there.</source>
        <translation>vLLM braucht {needed} MiB in /dev/shm für das, was seine Prozesse teilen; {free} MiB sind dort frei.</translation>
    </message>
    <message>
        <source>Free some space in the cache folder, /tmp and /dev/shm.</source>
        <translation>Im Cache-Ordner, in /tmp und in /dev/shm Platz schaffen.</translation>
    </message>
    <message>
        <source>The checkpoint&apos;s tokenizer or another file is missing or damaged. {file}</source>
        <translation>Der Tokenizer des Checkpoints oder eine andere Datei fehlt oder ist beschädigt. {file}</translation>
    </message>
    <message>
        <source>The log shows where it happened.</source>
        <translation>Das Protokoll zeigt, wo es geschah.</translation>
    </message>
    <message>
        <source>Start the engine again; the log shows more.</source>
        <translation>Die Engine neu starten; das Protokoll zeigt mehr.</translation>
    </message>
    <message>
        <source>Start the engine again.</source>
        <translation>Die Engine neu starten.</translation>
    </message>
    <message>
        <source>An engine process ended while it started, without saying why.</source>
        <translation>Ein Prozess der Engine endete beim Start, ohne zu sagen warum.</translation>
    </message>
    <message>
        <source>The log may show more. If memory ran out, choose a smaller checkpoint or a smaller KV cache.</source>
        <translation>Das Protokoll zeigt vielleicht mehr. Ging der Speicher aus, einen kleineren Checkpoint oder KV-Cache wählen.</translation>
    </message>
    <message>
        <source>{death} while the model was loading: {cause}</source>
        <translation>{death}, während das Modell geladen wurde: {cause}</translation>
    </message>
    <message>
        <source>{death} while the model was loading.</source>
        <translation>{death}, während das Modell geladen wurde.</translation>
    </message>
    <message>
        <source>{who} was ended by {signal}.</source>
        <translation>{who} wurde durch {signal} beendet.</translation>
    </message>
    <message>
        <source>{who} was ended by {signal}</source>
        <translation>{who} wurde durch {signal} beendet</translation>
    </message>
    <message>
        <source>{who} was ended by {signal}: {cause}</source>
        <translation>{who} wurde durch {signal} beendet: {cause}</translation>
    </message>
    <message>
        <source>{who} exited with code {code}.</source>
        <translation>{who} endete mit Code {code}.</translation>
    </message>
    <message>
        <source>{who} exited with code {code}</source>
        <translation>{who} endete mit Code {code}</translation>
    </message>
    <message>
        <source>{who} exited with code {code}: {cause}</source>
        <translation>{who} endete mit Code {code}: {cause}</translation>
    </message>
    <message>
        <source>{who} has ended.</source>
        <translation>{who} ist beendet.</translation>
    </message>
    <message>
        <source>{who} has ended</source>
        <translation>{who} ist beendet</translation>
    </message>
    <message>
        <source>{who} has ended: {cause}</source>
        <translation>{who} ist beendet: {cause}</translation>
    </message>
    <message>
        <source>the system had run out of memory.</source>
        <translation>Dem System war der Speicher ausgegangen.</translation>
    </message>
    <message>
        <source>shared memory is full.</source>
        <translation>Der gemeinsame Speicher ist voll.</translation>
    </message>
    <message>
        <source>the engine was built for a newer processor than this one.</source>
        <translation>Die Engine wurde für einen neueren Prozessor gebaut als diesen.</translation>
    </message>
    <message>
        <source>Give /dev/shm more room (a container: --shm-size=2g), or free some.</source>
        <translation>/dev/shm mehr Raum geben (einem Container: --shm-size=2g) oder dort Platz schaffen.</translation>
    </message>
    <message>
        <source>Install the build of vLLM that is made for this processor.</source>
        <translation>Den Build von vLLM installieren, der für diesen Prozessor gemacht ist.</translation>
    </message>
    <message>
        <source>Restarted by itself: {cause}</source>
        <translation>Von selbst neu gestartet: {cause}</translation>
    </message>
    <message>
        <source>The cache has nothing of {repo}.</source>
        <translation>Der Cache hat nichts von {repo}.</translation>
    </message>
    <message>
        <source>It may have been deleted already.</source>
        <translation>Es ist vielleicht schon gelöscht.</translation>
    </message>
    <message>
        <source>The hub at {name} cannot be reached: {error}.</source>
        <translation>Der Hub unter {name} ist nicht erreichbar: {error}.</translation>
    </message>
    <message>
        <source>Check the network (and HF_ENDPOINT, where a mirror is used) and go on; nothing is lost.</source>
        <translation>Das Netz prüfen (und HF_ENDPOINT, wo ein Spiegel benutzt wird) und weitermachen; nichts ist verloren.</translation>
    </message>
    <message>
        <source>The hub could not be used: {error}</source>
        <translation>Der Hub ist nicht zu gebrauchen: {error}</translation>
    </message>
    <message>
        <source>See the details; try again.</source>
        <translation>Die Einzelheiten ansehen; noch einmal versuchen.</translation>
    </message>
    <message>
        <source>{what} is gated, and the hub refused it ({status}).</source>
        <translation>{what} ist zugangsbeschränkt, und der Hub hat abgelehnt ({status}).</translation>
    </message>
    <message>
        <source>The hub does not know the token, or {what} does not exist (401).</source>
        <translation>Der Hub kennt den Token nicht, oder {what} gibt es nicht (401).</translation>
    </message>
    <message>
        <source>Check the name, and give a valid token if the model is private or gated (Hub &gt; Token).</source>
        <translation>Den Namen prüfen und, wenn das Modell privat oder beschränkt ist, einen gültigen Token geben (Hub &gt; Token).</translation>
    </message>
    <message>
        <source>The token may not read {what} (403).</source>
        <translation>Der Token darf {what} nicht lesen (403).</translation>
    </message>
    <message>
        <source>The hub has no {what}, or not this file of it.</source>
        <translation>Der Hub hat {what} nicht, oder nicht diese Datei davon.</translation>
    </message>
    <message>
        <source>Check the name.</source>
        <translation>Den Namen prüfen.</translation>
    </message>
    <message>
        <source>The hub answers that there were too many requests (429).</source>
        <translation>Der Hub antwortet, es seien zu viele Anfragen (429).</translation>
    </message>
    <message>
        <source>Wait a few minutes and go on; with a token the limit is higher.</source>
        <translation>Einige Minuten warten und weitermachen; mit einem Token ist die Grenze höher.</translation>
    </message>
    <message>
        <source>The hub is in trouble ({status}).</source>
        <translation>Der Hub hat Schwierigkeiten ({status}).</translation>
    </message>
    <message>
        <source>Try again in a few minutes.</source>
        <translation>In einigen Minuten noch einmal versuchen.</translation>
    </message>
    <message>
        <source>The disk is full.</source>
        <translation>Die Platte ist voll.</translation>
    </message>
    <message>
        <source>Free some space and go on; nothing is lost.</source>
        <translation>Platz schaffen und weitermachen; nichts ist verloren.</translation>
    </message>
    <message>
        <source>HF_HUB_OFFLINE is set.</source>
        <translation>HF_HUB_OFFLINE ist gesetzt.</translation>
    </message>
    <message>
        <source>Unset it to reach the hub.</source>
        <translation>Aufheben, um den Hub zu erreichen.</translation>
    </message>
    <message>
        <source>The connection to the hub failed while asking for {what}.</source>
        <translation>Die Verbindung zum Hub brach ab, als nach {what} gefragt wurde.</translation>
    </message>
    <message>
        <source>Check the rights of that folder.</source>
        <translation>Die Rechte jenes Ordners prüfen.</translation>
    </message>
    <message>
        <source>{repo} needs {needed} GiB more, and {folder} has {free} GiB left.</source>
        <translation>{repo} braucht noch {needed} GiB, und {folder} hat {free} GiB übrig.</translation>
    </message>
    <message>
        <source>Free some space, or set HF_HOME to a folder on a larger disk.</source>
        <translation>Platz schaffen oder HF_HOME auf einen Ordner einer größeren Platte setzen.</translation>
    </message>
    <message>
        <source>Another program is downloading {name} right now.</source>
        <translation>Ein anderes Programm lädt {name} gerade herunter.</translation>
    </message>
    <message>
        <source>Wait for it, or stop it there.</source>
        <translation>Darauf warten oder es dort anhalten.</translation>
    </message>
    <message>
        <source>Update KVDeck.</source>
        <translation>KVDeck aktualisieren.</translation>
    </message>
    <message>
        <source>{name} is not a recording.</source>
        <translation>{name} ist keine Aufnahme.</translation>
    </message>
    <message>
        <source>The recording {name} is of format version {version}, and this program reads {oldest} to {newest}.</source>
        <translation>Die Aufnahme {name} hat Formatversion {version}, und dieses Programm liest {oldest} bis {newest}.</translation>
    </message>
    <message>
        <source>Use the version of KVDeck that recorded it, or a newer one.</source>
        <translation>Das KVDeck nehmen, das sie aufnahm, oder ein neueres.</translation>
    </message>
    <message>
        <source>The recording {name} is empty.</source>
        <translation>Die Aufnahme {name} ist leer.</translation>
    </message>
    <message>
        <source>Nothing was recorded; record again.</source>
        <translation>Es wurde nichts aufgenommen; neu aufnehmen.</translation>
    </message>
    <message>
        <source>There is no recording at {path}.</source>
        <translation>Unter {path} gibt es keine Aufnahme.</translation>
    </message>
    <message>
        <source>The recording {name} cannot be opened: {error}.</source>
        <translation>Die Aufnahme {name} kann nicht geöffnet werden: {error}.</translation>
    </message>
    <message>
        <source>The recording is damaged: {how}.</source>
        <translation>Die Aufnahme ist beschädigt: {how}.</translation>
    </message>
    <message>
        <source>Copy the file again from where it was made, or record anew.</source>
        <translation>Die Datei neu von dort kopieren, wo sie entstand, oder neu aufnehmen.</translation>
    </message>
    <message>
        <source>The recording broke off: {error}</source>
        <translation>Die Aufnahme brach ab: {error}</translation>
    </message>
    <message>
        <source>The recording cannot get its name {name}: {error}.</source>
        <translation>Die Aufnahme kann ihren Namen {name} nicht bekommen: {error}.</translation>
    </message>
    <message>
        <source>It is kept as {name}.</source>
        <translation>Sie bleibt als {name} erhalten.</translation>
    </message>
    <message>
        <source>Parquet files need the package pyarrow, which is not installed.</source>
        <translation>Parquet-Dateien brauchen das Paket pyarrow, das nicht installiert ist.</translation>
    </message>
    <message>
        <source>Install KVDeck again with `make run`, or choose CSV.</source>
        <translation>KVDeck mit `make run` neu installieren oder CSV wählen.</translation>
    </message>
    <message>
        <source>The recording {name} cannot be written: {reason}.</source>
        <translation>Die Aufnahme {name} kann nicht geschrieben werden: {reason}.</translation>
    </message>
    <message>
        <source>Choose another folder to record in.</source>
        <translation>Einen anderen Ordner für die Aufnahme wählen.</translation>
    </message>
    <message>
        <source>There is no room left to record in {folder}.</source>
        <translation>In {folder} ist kein Platz mehr für die Aufnahme.</translation>
    </message>
    <message>
        <source>What was recorded until then is kept; free some space and record again.</source>
        <translation>Was bis dahin aufgenommen wurde, bleibt; Platz schaffen und neu aufnehmen.</translation>
    </message>
    <message>
        <source>The hub&apos;s helper program has ended (exit code {code}).</source>
        <translation>Das Hilfsprogramm für den Hub ist beendet (Exit-Code {code}).</translation>
    </message>
    <message>
        <source>The hub&apos;s helper program has ended.</source>
        <translation>Das Hilfsprogramm für den Hub ist beendet.</translation>
    </message>
    <message>
        <source>Try again; downloads go on from where they are.</source>
        <translation>Noch einmal versuchen; Downloads gehen dort weiter, wo sie sind.</translation>
    </message>
    <message>
        <source>The engine host answered {route} with an unexpected status {status}.</source>
        <translation>Der Engine-Host antwortete auf {route} mit unerwartetem Status {status}.</translation>
    </message>
    <message>
        <source>The log has the details; restart the host if this goes on.</source>
        <translation>Das Protokoll hat die Einzelheiten; den Host neu starten, wenn es so bleibt.</translation>
    </message>
    <message>
        <source>The log has the details.</source>
        <translation>Das Protokoll hat die Einzelheiten.</translation>
    </message>
    <message>
        <source>The engine ended while it was answering.</source>
        <translation>Die Engine endete, während sie antwortete.</translation>
    </message>
    <message>
        <source>Load the model again; the log says what happened.</source>
        <translation>Das Modell neu laden; das Protokoll sagt, was geschah.</translation>
    </message>
    <message>
        <source>The engine host at {url} does not answer.</source>
        <translation>Der Engine-Host unter {url} antwortet nicht.</translation>
    </message>
    <message>
        <source>The engine host ended unexpectedly ({how}).</source>
        <translation>Der Engine-Host endete unerwartet ({how}).</translation>
    </message>
    <message>
        <source>exit status {status}</source>
        <translation>Exit-Status {status}</translation>
    </message>
    <message>
        <source>signal {signal}</source>
        <translation>Signal {signal}</translation>
    </message>
    <message>
        <source>The engine host does not accept this token.</source>
        <translation>Der Engine-Host nimmt diesen Schlüssel nicht an.</translation>
    </message>
    <message>
        <source>Close the window and open it again.</source>
        <translation>Das Fenster schließen und wieder öffnen.</translation>
    </message>
    <message>
        <source>Start a new chat, shorten the conversation, or reload with a larger max_model_len.</source>
        <translation>Einen neuen Chat beginnen, das Gespräch kürzen oder mit größerem max_model_len neu laden.</translation>
    </message>
    <message>
        <source>Load a model, or wait until it is ready.</source>
        <translation>Ein Modell laden oder warten, bis es bereit ist.</translation>
    </message>
    <message>
        <source>Change the message or the sampling options.</source>
        <translation>Die Nachricht oder die Sampling-Optionen ändern.</translation>
    </message>
    <message>
        <source>The engine is not installed: the Python package {module} is missing.</source>
        <translation>Die Engine ist nicht installiert: Das Python-Paket {module} fehlt.</translation>
    </message>
    <message>
        <source>Install it with: make run ENGINE=cpu (or ENGINE=cuda with an NVIDIA GPU), in KVDeck&apos;s folder.</source>
        <translation>Installieren mit: make run ENGINE=cpu (oder ENGINE=cuda mit einer NVIDIA-GPU), in KVDecks Ordner.</translation>
    </message>
    <message>
        <source>The engine host did not answer within {patience} s.</source>
        <translation>Der Engine-Host antwortete nicht innerhalb von {patience} s.</translation>
    </message>
    <message>
        <source>Look at the log, and try again when the machine is less busy.</source>
        <translation>Ins Protokoll sehen und noch einmal versuchen, wenn der Rechner weniger zu tun hat.</translation>
    </message>
    <message>
        <source>The engine host could not be started: {error}.</source>
        <translation>Der Engine-Host konnte nicht gestartet werden: {error}.</translation>
    </message>
    <message>
        <source>Install KVDeck again, with make run.</source>
        <translation>KVDeck neu installieren, mit make run.</translation>
    </message>
    <message>
        <source>No engine host is running.</source>
        <translation>Es läuft kein Engine-Host.</translation>
    </message>
    <message>
        <source>Start it with Load.</source>
        <translation>Mit Laden starten.</translation>
    </message>
    <message>
        <source>The engine host at {url} closed its event stream.</source>
        <translation>Der Engine-Host unter {url} schloss seinen Ereignisstrom.</translation>
    </message>
    <message>
        <source>Start it again; the log says what happened.</source>
        <translation>Neu starten; das Protokoll sagt, was geschah.</translation>
    </message>
    <message>
        <source>The engine host ended: there is no room left in {folder}.</source>
        <translation>Der Engine-Host hat sich beendet: in {folder} ist kein Platz mehr.</translation>
    </message>
    <message>
        <source>Free some disk space, and start it again.</source>
        <translation>Platz auf der Platte schaffen und ihn neu starten.</translation>
    </message>
    <message>
        <source>Make that place writable for you.</source>
        <translation>Diesen Ort für sich beschreibbar machen.</translation>
    </message>
    <message>
        <source>KVDeck cannot write its folder {folder}: {error}.</source>
        <translation>KVDeck kann in seinen Ordner {folder} nicht schreiben: {error}.</translation>
    </message>
    <message>
        <source>Make it writable for you, or name another place with KVDECK_HOME.</source>
        <translation>Ihn beschreibbar machen, oder mit KVDECK_HOME einen anderen Ort nennen.</translation>
    </message>
    <message>
        <source>The address file {file} cannot be written: {error}.</source>
        <translation>Die Adressdatei {file} kann nicht geschrieben werden: {error}.</translation>
    </message>
    <message>
        <source>Name one in a folder that is there, and writable for you.</source>
        <translation>Eine in einem Ordner nennen, den es gibt und der beschreibbar ist.</translation>
    </message>
    <message>
        <source>The engine sent an event of more than {size} MiB.</source>
        <translation>Die Engine schickte ein Ereignis von mehr als {size} MiB.</translation>
    </message>
    <message>
        <source>Restart the engine.</source>
        <translation>Die Engine neu starten.</translation>
    </message>
    <message>
        <source>The engine sent an event of an unknown shape.</source>
        <translation>Die Engine schickte ein Ereignis von unbekannter Form.</translation>
    </message>
    <message>
        <source>The engine sent an event that is no JSON.</source>
        <translation>Die Engine schickte ein Ereignis, das kein JSON ist.</translation>
    </message>
    <message>
        <source>vLLM does not take the adapter {name}: {text}</source>
        <translation>vLLM nimmt den Adapter {name} nicht: {text}</translation>
    </message>
    <message>
        <source>The engine goes on without it. Check that it was made for this model.</source>
        <translation>Die Engine läuft ohne ihn weiter. Prüfen, ob er für dieses Modell gemacht ist.</translation>
    </message>
    <message>
        <source>{name} cannot be loaded. {problem}</source>
        <translation>{name} kann nicht geladen werden. {problem}</translation>
    </message>
    <message>
        <source>Choose another adapter, or download this one again.</source>
        <translation>Einen anderen Adapter wählen oder diesen neu herunterladen.</translation>
    </message>
    <message>
        <source>{name} does not fit. {problem}</source>
        <translation>{name} passt nicht. {problem}</translation>
    </message>
    <message>
        <source>The engine died meanwhile.</source>
        <translation>Die Engine starb inzwischen.</translation>
    </message>
    <message>
        <source>An adapter named {name} was loaded before, and its cached prefixes are in use.</source>
        <translation>Ein Adapter namens {name} war schon geladen, und seine gemerkten Präfixe sind in Gebrauch.</translation>
    </message>
    <message>
        <source>Wait until no request runs, or load this one under another name.</source>
        <translation>Warten, bis keine Anfrage läuft, oder diesen unter anderem Namen laden.</translation>
    </message>
    <message>
        <source>{name} is the model&apos;s own name.</source>
        <translation>{name} heißt das Modell selbst.</translation>
    </message>
    <message>
        <source>Load the adapter under another name.</source>
        <translation>Den Adapter unter anderem Namen laden.</translation>
    </message>
    <message>
        <source>An adapter named {name} is loaded already.</source>
        <translation>Ein Adapter namens {name} ist schon geladen.</translation>
    </message>
    <message>
        <source>Unload it first, or choose another name.</source>
        <translation>Ihn erst entladen oder einen anderen Namen wählen.</translation>
    </message>
    <message>
        <source>No engine is running.</source>
        <translation>Es läuft keine Engine.</translation>
    </message>
    <message>
        <source>Load a checkpoint first.</source>
        <translation>Erst einen Checkpoint laden.</translation>
    </message>
    <message>
        <source>This engine was loaded without room for adapters.</source>
        <translation>Diese Engine wurde ohne Platz für Adapter geladen.</translation>
    </message>
    <message>
        <source>Switch enable_lora on, and reload.</source>
        <translation>enable_lora einschalten und neu laden.</translation>
    </message>
    <message>
        <source>No adapter named {name} is loaded.</source>
        <translation>Kein Adapter namens {name} ist geladen.</translation>
    </message>
    <message>
        <source>Choose one of those that are.</source>
        <translation>Einen der geladenen wählen.</translation>
    </message>
    <message>
        <source>Cannot listen on {address}: {error}.</source>
        <translation>Auf {address} kann nicht gelauscht werden: {error}.</translation>
    </message>
    <message>
        <source>Use 127.0.0.1.</source>
        <translation>127.0.0.1 nehmen.</translation>
    </message>
    <message>
        <source>Port {port} belongs to another program.</source>
        <translation>Port {port} gehört einem anderen Programm.</translation>
    </message>
    <message>
        <source>Choose another port, or end that program.</source>
        <translation>Einen anderen Port wählen oder jenes Programm beenden.</translation>
    </message>
    <message>
        <source>Port {port} may not be used by this user.</source>
        <translation>Port {port} darf dieser Benutzer nicht nutzen.</translation>
    </message>
    <message>
        <source>Choose a port above 1023.</source>
        <translation>Einen Port über 1023 wählen.</translation>
    </message>
    <message>
        <source>{address} is no address: {error}.</source>
        <translation>{address} ist keine Adresse: {error}.</translation>
    </message>
    <message>
        <source>Use 127.0.0.1 and a port from 1 to 65535.</source>
        <translation>127.0.0.1 und einen Port von 1 bis 65535 nehmen.</translation>
    </message>
    <message>
        <source>No request {request} is live.</source>
        <translation>Keine Anfrage {request} ist am Leben.</translation>
    </message>
    <message>
        <source>Choose one that waits or runs now.</source>
        <translation>Eine wählen, die jetzt wartet oder läuft.</translation>
    </message>
    <message>
        <source>Stay within the capacity fixed at load.</source>
        <translation>In der Kapazität bleiben, die beim Laden festgelegt wurde.</translation>
    </message>
    <message>
        <source>{name} cannot be {wanted} while the engine runs: its capacity was fixed at {capacity} at load.</source>
        <translation>{name} kann nicht {wanted} sein, solange die Engine läuft: Die Kapazität wurde beim Laden auf {capacity} festgelegt.</translation>
    </message>
    <message>
        <source>Choose a value from 1 to {capacity}, or reload the engine with a larger one.</source>
        <translation>Einen Wert von 1 bis {capacity} wählen oder die Engine mit einem größeren neu laden.</translation>
    </message>
    <message>
        <source>Read the present state anew and choose again.</source>
        <translation>Den jetzigen Zustand neu lesen und noch einmal wählen.</translation>
    </message>
    <message>
        <source>The load was cancelled.</source>
        <translation>Das Laden wurde abgebrochen.</translation>
    </message>
    <message>
        <source>Nothing has been loaded yet.</source>
        <translation>Noch wurde nichts geladen.</translation>
    </message>
    <message>
        <source>Choose a checkpoint first.</source>
        <translation>Erst einen Checkpoint wählen.</translation>
    </message>
    <message>
        <source>{name} does not wait.</source>
        <translation>{name} wartet nicht.</translation>
    </message>
    <message>
        <source>Load it.</source>
        <translation>Laden.</translation>
    </message>
    <message>
        <source>This engine was loaded without sleep mode.</source>
        <translation>Diese Engine wurde ohne Schlafmodus geladen.</translation>
    </message>
    <message>
        <source>Load it with enable_sleep_mode on.</source>
        <translation>Mit eingeschaltetem enable_sleep_mode laden.</translation>
    </message>
    <message>
        <source>The host is shutting down.</source>
        <translation>Der Host fährt herunter.</translation>
    </message>
    <message>
        <source>Start it again.</source>
        <translation>Neu starten.</translation>
    </message>
    <message>
        <source>A model is being loaded.</source>
        <translation>Ein Modell wird geladen.</translation>
    </message>
    <message>
        <source>A model is being unloaded.</source>
        <translation>Ein Modell wird entladen.</translation>
    </message>
    <message>
        <source>Wait until that is done, or cancel it.</source>
        <translation>Warten, bis das fertig ist, oder abbrechen.</translation>
    </message>
    <message>
        <source>The switch was cancelled.</source>
        <translation>Der Wechsel wurde abgebrochen.</translation>
    </message>
    <message>
        <source>{name} is gone.</source>
        <translation>{name} ist fort.</translation>
    </message>
    <message>
        <source>It says that it is still asleep.</source>
        <translation>Sie sagt, sie schlafe noch.</translation>
    </message>
    <message>
        <source>It did not wake within {patience} s.</source>
        <translation>Sie wachte innerhalb von {patience} s nicht auf.</translation>
    </message>
    <message>
        <source>It woke, and did not answer within {patience} s.</source>
        <translation>Sie wachte auf und antwortete innerhalb von {patience} s nicht.</translation>
    </message>
    <message>
        <source>It woke, and could not answer: {error}</source>
        <translation>Sie wachte auf und konnte nicht antworten: {error}</translation>
    </message>
    <message>
        <source>Install a vLLM release that KVDeck supports.</source>
        <translation>Eine vLLM-Version installieren, die KVDeck unterstützt.</translation>
    </message>
    <message>
        <source>vLLM {version} is of no known release.</source>
        <translation>vLLM {version} ist keine bekannte Version.</translation>
    </message>
    <message>
        <source>Install vLLM {span}.</source>
        <translation>vLLM {span} installieren.</translation>
    </message>
    <message>
        <source>vLLM {version} is installed; this release of KVDeck works with {span}.</source>
        <translation>vLLM {version} ist installiert; dieses KVDeck arbeitet mit {span}.</translation>
    </message>
    <message>
        <source>vLLM {version} is installed but cannot be imported: {error}.</source>
        <translation>vLLM {version} ist installiert, kann aber nicht importiert werden: {error}.</translation>
    </message>
    <message>
        <source>This engine runs without KVDeck&apos;s scheduler.</source>
        <translation>Diese Engine läuft ohne KVDecks Scheduler.</translation>
    </message>
    <message>
        <source>Load the model through KVDeck&apos;s engine host.</source>
        <translation>Das Modell über KVDecks Engine-Host laden.</translation>
    </message>
    <message>
        <source>This engine runs without KVDeck&apos;s probe.</source>
        <translation>Diese Engine läuft ohne KVDecks Sonde.</translation>
    </message>
    <message>
        <source>Load the model through KVDeck.</source>
        <translation>Das Modell über KVDeck laden.</translation>
    </message>
    <message>
        <source>long_prefill_token_threshold has no effect without chunked prefill.</source>
        <translation>long_prefill_token_threshold wirkt ohne Chunked Prefill nicht.</translation>
    </message>
    <message>
        <source>Turn enable_chunked_prefill on and reload.</source>
        <translation>enable_chunked_prefill einschalten und neu laden.</translation>
    </message>
    <message>
        <source>Switch it on or off.</source>
        <translation>Ein- oder ausschalten.</translation>
    </message>
    <message>
        <source>Choose a share from 0 to less than 1.</source>
        <translation>Einen Anteil von 0 bis unter 1 wählen.</translation>
    </message>
    <message>
        <source>vLLM {version} has no {name}.</source>
        <translation>vLLM {version} hat kein {name}.</translation>
    </message>
    <message>
        <source>Leave it out, or install a newer vLLM.</source>
        <translation>Weglassen oder ein neueres vLLM installieren.</translation>
    </message>
    <message>
        <source>The request {request} is no longer there.</source>
        <translation>Die Anfrage {request} ist nicht mehr da.</translation>
    </message>
    <message>
        <source>Choose one that is running.</source>
        <translation>Eine laufende wählen.</translation>
    </message>
    <message>
        <source>{device} has {free} GB free, too little for a measurement.</source>
        <translation>{device} hat {free} GB frei, zu wenig für eine Messung.</translation>
    </message>
    <message>
        <source>{free} GB of memory are free on {device}: too little for a measurement.</source>
        <translation>{free} GB Speicher sind frei auf {device}: zu wenig für eine Messung.</translation>
    </message>
    <message>
        <source>Unload the model, then measure again.</source>
        <translation>Das Modell entladen, dann noch einmal messen.</translation>
    </message>
    <message>
        <source>The measurement was cancelled.</source>
        <translation>Die Messung wurde abgebrochen.</translation>
    </message>
    <message>
        <source>Measure again at any time.</source>
        <translation>Jederzeit wieder messen.</translation>
    </message>
    <message>
        <source>The limits are being measured already.</source>
        <translation>Die Grenzen werden schon gemessen.</translation>
    </message>
    <message>
        <source>There is no question to answer again.</source>
        <translation>Es gibt keine Frage, die neu zu beantworten wäre.</translation>
    </message>
    <message>
        <source>Send a message first.</source>
        <translation>Erst eine Nachricht senden.</translation>
    </message>
    <message>
        <source>An answer is still being written.</source>
        <translation>Eine Antwort wird noch geschrieben.</translation>
    </message>
    <message>
        <source>Stop it first, or wait for its end.</source>
        <translation>Sie erst anhalten oder ihr Ende abwarten.</translation>
    </message>
    <message>
        <source>Chats cannot be read or written in {path}: {error}.</source>
        <translation>Chats können in {path} nicht gelesen oder geschrieben werden: {error}.</translation>
    </message>
    <message>
        <source>Check the folder&apos;s permissions and the disk.</source>
        <translation>Die Rechte des Ordners und die Platte prüfen.</translation>
    </message>
    <message>
        <source>Another program holds the chats in {path}.</source>
        <translation>Ein anderes Programm hält die Chats in {path} fest.</translation>
    </message>
    <message>
        <source>Close it; what is said until then is kept beside them, and written when they can be.</source>
        <translation>Schließen Sie es; was bis dahin gesagt wird, liegt daneben und wird eingetragen, sobald das geht.</translation>
    </message>
    <message>
        <source>Update KVDeck; what is said until then is kept beside them.</source>
        <translation>Aktualisieren Sie KVDeck; was bis dahin gesagt wird, liegt daneben.</translation>
    </message>
    <message>
        <source>The chats in {path} are of a newer KVDeck (format {version}, this one knows {known}).</source>
        <translation>Die Chats in {path} sind von einem neueren KVDeck (Format {version}, dieses kennt {known}).</translation>
    </message>
    <message>
        <source>There is no room to save chats in {path}.</source>
        <translation>Es ist kein Platz, um Chats in {path} zu speichern.</translation>
    </message>
    <message>
        <source>Free some disk space.</source>
        <translation>Platz auf der Platte schaffen.</translation>
    </message>
    <message>
        <source>The chat file is not open.</source>
        <translation>Die Chat-Datei ist nicht offen.</translation>
    </message>
    <message>
        <source>Start KVDeck again.</source>
        <translation>KVDeck neu starten.</translation>
    </message>
    <message>
        <source>This chat was deleted in another window.</source>
        <translation>Dieser Chat wurde in einem anderen Fenster gelöscht.</translation>
    </message>
    <message>
        <source>Send again to keep it.</source>
        <translation>Noch einmal senden, um ihn zu behalten.</translation>
    </message>
    <message>
        <source>The telemetry page {name} is cut short: {size} of {total} bytes remain.</source>
        <translation>Die Telemetrieseite {name} ist abgeschnitten: {size} von {total} Bytes sind übrig.</translation>
    </message>
    <message>
        <source>The telemetry page {name} cannot be opened: {error}.</source>
        <translation>Die Telemetrieseite {name} kann nicht geöffnet werden: {error}.</translation>
    </message>
    <message>
        <source>There is no telemetry page at {path}.</source>
        <translation>Unter {path} gibt es keine Telemetrieseite.</translation>
    </message>
    <message>
        <source>Load a model; its engine makes the page when it starts.</source>
        <translation>Ein Modell laden; seine Engine legt die Seite beim Start an.</translation>
    </message>
    <message>
        <source>The telemetry page needs {total} bytes in {folder}, and there is no room for them.</source>
        <translation>Die Telemetrieseite braucht {total} Bytes in {folder}, und dafür ist kein Platz.</translation>
    </message>
    <message>
        <source>Free some space there, or set XDG_RUNTIME_DIR to a folder on another file system.</source>
        <translation>Dort Platz schaffen oder XDG_RUNTIME_DIR auf einen Ordner eines anderen Dateisystems setzen.</translation>
    </message>
    <message>
        <source>This GPU does not answer its driver.</source>
        <translation>Diese GPU antwortet ihrem Treiber nicht.</translation>
    </message>
    <message>
        <source>There is no NVIDIA driver on this machine.</source>
        <translation>Auf diesem Rechner gibt es keinen NVIDIA-Treiber.</translation>
    </message>
    <message>
        <source>The NVIDIA driver was updated while it ran: its library and its kernel module differ until a restart.</source>
        <translation>Der NVIDIA-Treiber wurde im Betrieb aktualisiert: Bibliothek und Kernelmodul passen erst nach einem Neustart wieder zusammen.</translation>
    </message>
    <message>
        <source>This user may not ask the NVIDIA driver.</source>
        <translation>Dieser Benutzer darf den NVIDIA-Treiber nicht fragen.</translation>
    </message>
    <message>
        <source>The NVIDIA driver does not answer: {error}.</source>
        <translation>Der NVIDIA-Treiber antwortet nicht: {error}.</translation>
    </message>
    <message>
        <source>The NVIDIA driver is loaded, but it sees no GPU.</source>
        <translation>Der NVIDIA-Treiber ist geladen, sieht aber keine GPU.</translation>
    </message>
    <message>
        <source>The Python package nvidia-ml-py is not installed, so GPUs cannot be seen.</source>
        <translation>Das Python-Paket nvidia-ml-py ist nicht installiert, daher sind keine GPUs zu sehen.</translation>
    </message>
    <message>
        <source>The measurement was ended by signal {signal}, perhaps because memory ran out.</source>
        <translation>Die Messung wurde durch Signal {signal} beendet, vielleicht weil der Speicher ausging.</translation>
    </message>
    <message>
        <source>The measurement needs a Python package that is not installed: {module}.</source>
        <translation>Die Messung braucht ein Python-Paket, das nicht installiert ist: {module}.</translation>
    </message>
    <message>
        <source>The measurement ended with code {code}: {cause}</source>
        <translation>Die Messung endete mit Code {code}: {cause}</translation>
    </message>
    <message>
        <source>The measurement ended with code {code}.</source>
        <translation>Die Messung endete mit Code {code}.</translation>
    </message>
    <message>
        <source>Measure again.</source>
        <translation>Noch einmal messen.</translation>
    </message>
    <message>
        <source>The build was ended by signal {signal}, perhaps because memory ran out.</source>
        <translation>Der Bau wurde durch Signal {signal} beendet, vielleicht weil der Speicher ausging.</translation>
    </message>
    <message>
        <source>The build needs a Python package that is not installed: {module}.</source>
        <translation>Der Bau braucht ein Python-Paket, das nicht installiert ist: {module}.</translation>
    </message>
    <message>
        <source>The build ended with code {code}: {cause}</source>
        <translation>Der Bau endete mit Code {code}: {cause}</translation>
    </message>
    <message>
        <source>The build ended with code {code}.</source>
        <translation>Der Bau endete mit Code {code}.</translation>
    </message>
    <message>
        <source>Build again; what is finished is kept.</source>
        <translation>Neu bauen; was fertig ist, bleibt.</translation>
    </message>
    <message>
        <source>max_num_batched_tokens ({budget}) is under max_num_seqs ({requests}): a step could not give every running request a token.</source>
        <translation>max_num_batched_tokens ({budget}) liegt unter max_num_seqs ({requests}): Ein Schritt könnte nicht jeder laufenden Anfrage ein Token geben.</translation>
    </message>
    <message>
        <source>Raise max_num_batched_tokens to {requests} or more, or lower max_num_seqs.</source>
        <translation>max_num_batched_tokens auf {requests} oder mehr anheben oder max_num_seqs senken.</translation>
    </message>
    <message>
        <source>Without chunked prefill a step must hold a whole prompt, but max_num_batched_tokens is {budget} and requests may have {length} tokens.</source>
        <translation>Ohne Chunked Prefill muss ein Schritt einen ganzen Prompt fassen, aber max_num_batched_tokens ist {budget}, und Anfragen dürfen {length} Tokens haben.</translation>
    </message>
    <message>
        <source>Raise max_num_batched_tokens to {length}, lower max_model_len to {budget}, or switch enable_chunked_prefill on.</source>
        <translation>max_num_batched_tokens auf {length} anheben, max_model_len auf {budget} senken oder enable_chunked_prefill einschalten.</translation>
    </message>
    <message>
        <source>max_model_len is {length}, but the model was made for {limit} tokens.</source>
        <translation>max_model_len ist {length}, aber das Modell wurde für {limit} Tokens gemacht.</translation>
    </message>
    <message>
        <source>long_prefill_token_threshold ({threshold}) is over the longest request ({length} tokens).</source>
        <translation>long_prefill_token_threshold ({threshold}) liegt über der längsten Anfrage ({length} Tokens).</translation>
    </message>
    <message>
        <source>Lower it to {length} or less, or set 0 for no limit.</source>
        <translation>Auf {length} oder weniger senken, oder 0 für keine Grenze.</translation>
    </message>
    <message>
        <source>Set {lower} or {upper}.</source>
        <translation>{lower} oder {upper} setzen.</translation>
    </message>
    <message>
        <source>Set {value}.</source>
        <translation>{value} setzen.</translation>
    </message>
    <message>
        <source>A KV cache of {space} GiB does not fit this machine&apos;s {total} GiB of memory.</source>
        <translation>Ein KV-Cache von {space} GiB passt nicht in die {total} GiB Speicher dieses Rechners.</translation>
    </message>
    <message>
        <source>Set at most {most} GiB.</source>
        <translation>Höchstens {most} GiB setzen.</translation>
    </message>
    <message>
        <source>The KV cache&apos;s size is given twice: kv_cache_memory_bytes counts, cpu_kvcache_space_gib does not.</source>
        <translation>Die Größe des KV-Caches ist zweimal angegeben: kv_cache_memory_bytes gilt, cpu_kvcache_space_gib nicht.</translation>
    </message>
    <message>
        <source>Clear kv_cache_memory_bytes, or put cpu_kvcache_space_gib back to its default.</source>
        <translation>kv_cache_memory_bytes leeren oder cpu_kvcache_space_gib auf die Vorgabe zurücksetzen.</translation>
    </message>
    <message>
        <source>An FP8 checkpoint cannot have a KV cache in fp8_e5m2.</source>
        <translation>Ein FP8-Checkpoint kann keinen KV-Cache in fp8_e5m2 haben.</translation>
    </message>
    <message>
        <source>Choose fp8 or fp8_e4m3 instead.</source>
        <translation>Stattdessen fp8 oder fp8_e4m3 wählen.</translation>
    </message>
    <message>
        <source>This checkpoint is quantized with {own}; vLLM will not load it as {named}.</source>
        <translation>Dieser Checkpoint ist mit {own} quantisiert; vLLM lädt ihn nicht als {named}.</translation>
    </message>
    <message>
        <source>This checkpoint is not quantized; vLLM will not load it as {named}.</source>
        <translation>Dieser Checkpoint ist nicht quantisiert; vLLM lädt ihn nicht als {named}.</translation>
    </message>
    <message>
        <source>quantization={named} adds nothing: vLLM reads the method from the checkpoint and takes its fastest kernel.</source>
        <translation>quantization={named} bringt nichts: vLLM liest das Verfahren aus dem Checkpoint und nimmt seinen schnellsten Kernel.</translation>
    </message>
    <message>
        <source>Clear it, so that it cannot stand in the way of the next checkpoint.</source>
        <translation>Leeren, damit es dem nächsten Checkpoint nicht im Weg steht.</translation>
    </message>
    <message>
        <source>Choose auto to load the checkpoint&apos;s own weights.</source>
        <translation>auto wählen, um die Gewichte des Checkpoints zu laden.</translation>
    </message>
    <message>
        <source>Set how many GiB may be used.</source>
        <translation>Angeben, wie viele GiB es sein dürfen.</translation>
    </message>
    <message>
        <source>Clear it: vLLM reads the method from the checkpoint.</source>
        <translation>Leeren: vLLM liest das Verfahren aus dem Checkpoint.</translation>
    </message>
    <message>
        <source>{tensor} × {pipeline} × {data} (tensor, pipeline, data parallel) asks for {wanted} GPUs; there is 1 GPU.</source>
        <translation>{tensor} × {pipeline} × {data} (tensor-, pipeline-, datenparallel) verlangt {wanted} GPUs; da ist 1 GPU.</translation>
    </message>
    <message>
        <source>{tensor} × {pipeline} × {data} (tensor, pipeline, data parallel) asks for {wanted} GPUs; there are {have} GPUs.</source>
        <translation>{tensor} × {pipeline} × {data} (tensor-, pipeline-, datenparallel) verlangt {wanted} GPUs; da sind {have} GPUs.</translation>
    </message>
    <message>
        <source>Lower {name}.</source>
        <translation>{name} senken.</translation>
    </message>
    <message>
        <source>Choose one of {choices}.</source>
        <translation>Eins von {choices} wählen.</translation>
    </message>
    <message>
        <source>vLLM has no max_lora_rank of {rank}, only {known}.</source>
        <translation>vLLM hat kein max_lora_rank von {rank}, nur {known}.</translation>
    </message>
    <message>
        <source>max_cpu_loras ({kept}) is under max_loras ({used}): what a step uses has to be kept ready.</source>
        <translation>max_cpu_loras ({kept}) liegt unter max_loras ({used}): Was ein Schritt nutzt, muss bereitliegen.</translation>
    </message>
    <message>
        <source>Raise max_cpu_loras to {used} or more, or clear it.</source>
        <translation>max_cpu_loras auf {used} oder mehr anheben oder leeren.</translation>
    </message>
    <message>
        <source>Switch enable_lora on.</source>
        <translation>enable_lora einschalten.</translation>
    </message>
    <message>
        <source>{name} has no effect while enable_lora is off.</source>
        <translation>{name} wirkt nicht, solange enable_lora aus ist.</translation>
    </message>
    <message>
        <source>There is no GPU {gpu} in this machine.</source>
        <translation>In diesem Rechner gibt es keine GPU {gpu}.</translation>
    </message>
    <message>
        <source>1 GPU is chosen, but {tensor} × {pipeline} × {data} (tensor, pipeline, data parallel) uses {wanted}.</source>
        <translation>1 GPU ist gewählt, aber {tensor} × {pipeline} × {data} (tensor-, pipeline-, datenparallel) nutzt {wanted}.</translation>
    </message>
    <message>
        <source>{have} GPUs are chosen, but {tensor} × {pipeline} × {data} (tensor, pipeline, data parallel) uses {wanted}.</source>
        <translation>{have} GPUs sind gewählt, aber {tensor} × {pipeline} × {data} (tensor-, pipeline-, datenparallel) nutzt {wanted}.</translation>
    </message>
    <message>
        <source>Choose {wanted}, or set tensor_parallel_size to {size}.</source>
        <translation>{wanted} wählen oder tensor_parallel_size auf {size} setzen.</translation>
    </message>
    <message>
        <source>vLLM&apos;s CPU kernels read an FP8 KV cache with AVX-512 or AMX only, and this processor has neither.</source>
        <translation>Die CPU-Kernel von vLLM lesen einen FP8-KV-Cache nur mit AVX-512 oder AMX, und dieser Prozessor hat beides nicht.</translation>
    </message>
    <message>
        <source>vLLM&apos;s CPU kernels keep an FP8 KV cache for attention heads of a multiple of {unit} only, and this model&apos;s have {size} numbers.</source>
        <translation>vLLMs CPU-Kernel halten einen FP8-KV-Cache nur für Attention-Köpfe eines Vielfachen von {unit}, und die dieses Modells haben {size} Zahlen.</translation>
    </message>
    <message>
        <source>Choose auto.</source>
        <translation>auto wählen.</translation>
    </message>
    <message>
        <source>Leave {name} to vLLM</source>
        <translation>{name} vLLM überlassen</translation>
    </message>
    <message>
        <source>Switch {name} on</source>
        <translation>{name} einschalten</translation>
    </message>
    <message>
        <source>Switch {name} off</source>
        <translation>{name} ausschalten</translation>
    </message>
    <message>
        <source>Load without speculation</source>
        <translation>Ohne Spekulation laden</translation>
    </message>
    <message>
        <source>Guess by n-grams of the request</source>
        <translation>Mit n-Grammen der Anfrage raten</translation>
    </message>
    <message>
        <source>Choose the method {method}</source>
        <translation>Methode {method} wählen</translation>
    </message>
    <message>
        <source>Use one worker</source>
        <translation>Einen Worker verwenden</translation>
    </message>
    <message>
        <source>The adapter {name} was not loaded again. {why}</source>
        <translation>Der Adapter {name} wurde nicht wieder geladen. {why}</translation>
    </message>
    <message>
        <source>Clear async_scheduling, so that vLLM decides.</source>
        <translation>async_scheduling leeren, damit vLLM entscheidet.</translation>
    </message>
    <message>
        <source>Choose the GPUs again, or clear gpu_uuids.</source>
        <translation>Die GPUs neu wählen oder gpu_uuids leeren.</translation>
    </message>
    <message>
        <source>gpu_uuids names a GPU twice.</source>
        <translation>gpu_uuids nennt eine GPU zweimal.</translation>
    </message>
    <message>
        <source>Name each GPU once.</source>
        <translation>Jede GPU einmal nennen.</translation>
    </message>
    <message>
        <source>{name} is on or off, not {value}.</source>
        <translation>{name} ist an oder aus, nicht {value}.</translation>
    </message>
    <message>
        <source>{name} needs a value.</source>
        <translation>{name} braucht einen Wert.</translation>
    </message>
    <message>
        <source>{name} cannot be {value}.</source>
        <translation>{name} kann nicht {value} sein.</translation>
    </message>
    <message>
        <source>{name} is a number, not {value}.</source>
        <translation>{name} ist eine Zahl, nicht {value}.</translation>
    </message>
    <message>
        <source>{name} is a whole number, not {value}.</source>
        <translation>{name} ist eine ganze Zahl, nicht {value}.</translation>
    </message>
    <message>
        <source>Choose a value from {least} to {most}.</source>
        <translation>Einen Wert von {least} bis {most} wählen.</translation>
    </message>
    <message>
        <source>Choose a value of at least {least}.</source>
        <translation>Einen Wert von mindestens {least} wählen.</translation>
    </message>
    <message>
        <source>Choose a whole number from {least} to {most}.</source>
        <translation>Eine ganze Zahl von {least} bis {most} wählen.</translation>
    </message>
    <message>
        <source>speculative_config must be a JSON object.</source>
        <translation>speculative_config muss ein JSON-Objekt sein.</translation>
    </message>
    <message>
        <source>speculative_config is not a JSON object.</source>
        <translation>speculative_config ist kein JSON-Objekt.</translation>
    </message>
    <message>
        <source>speculative_config is not valid JSON.</source>
        <translation>speculative_config ist kein gültiges JSON.</translation>
    </message>
    <message>
        <source>Write for example {example}.</source>
        <translation>Zum Beispiel {example} schreiben.</translation>
    </message>
    <message>
        <source>speculative_config names neither a method nor a draft model.</source>
        <translation>speculative_config nennt weder ein Verfahren noch ein Entwurfsmodell.</translation>
    </message>
    <message>
        <source>speculative_config&apos;s method and model are names.</source>
        <translation>method und model von speculative_config sind Namen.</translation>
    </message>
    <message>
        <source>prompt_lookup_min ({low}) is over prompt_lookup_max ({high}).</source>
        <translation>prompt_lookup_min ({low}) liegt über prompt_lookup_max ({high}).</translation>
    </message>
    <message>
        <source>Lower it to {high} or less.</source>
        <translation>Auf {high} oder weniger senken.</translation>
    </message>
    <message>
        <source>The method {method} needs a draft checkpoint.</source>
        <translation>Das Verfahren {method} braucht einen Entwurfs-Checkpoint.</translation>
    </message>
    <message>
        <source>Choose one.</source>
        <translation>Einen wählen.</translation>
    </message>
    <message>
        <source>speculative_config does not say how many tokens to guess.</source>
        <translation>speculative_config sagt nicht, wie viele Tokens geraten werden.</translation>
    </message>
    <message>
        <source>There is no parameter named {name}.</source>
        <translation>Einen Parameter {name} gibt es nicht.</translation>
    </message>
    <message>
        <source>Choose a name from the parameters panel.</source>
        <translation>Einen Namen aus dem Bereich Parameter wählen.</translation>
    </message>
    <message>
        <source>{name} is fixed at load: changing it needs a reload.</source>
        <translation>{name} steht beim Laden fest: Eine Änderung braucht ein Neuladen.</translation>
    </message>
    <message>
        <source>{name} was given at load; to let vLLM choose its capacity needs a reload.</source>
        <translation>{name} wurde beim Laden gesetzt; vLLM die Kapazität wählen zu lassen braucht ein Neuladen.</translation>
    </message>
    <message>
        <source>Raising {name} past its capacity {capacity} needs a reload.</source>
        <translation>{name} über die Kapazität {capacity} anzuheben braucht ein Neuladen.</translation>
    </message>
    <message>
        <source>In force within one step, up to the capacity {capacity}.</source>
        <translation>In Kraft innerhalb eines Schritts, bis zur Kapazität {capacity}.</translation>
    </message>
    <message>
        <source>In force within one step.</source>
        <translation>In Kraft innerhalb eines Schritts.</translation>
    </message>
    <message>
        <source>This is not a vLLM command.</source>
        <translation>Das ist kein vLLM-Befehl.</translation>
    </message>
    <message>
        <source>Paste one that begins with: vllm serve MODEL, then options.</source>
        <translation>Einen einfügen, der mit vllm serve MODELL beginnt, dann Optionen.</translation>
    </message>
    <message>
        <source>The command cannot be read: {error}.</source>
        <translation>Der Befehl ist nicht lesbar: {error}.</translation>
    </message>
    <message>
        <source>Check its quotation marks.</source>
        <translation>Seine Anführungszeichen prüfen.</translation>
    </message>
    <message>
        <source>{name} is a number, not {text}.</source>
        <translation>{name} ist eine Zahl, nicht {text}.</translation>
    </message>
    <message>
        <source>Correct {option}.</source>
        <translation>{option} berichtigen.</translation>
    </message>
    <message>
        <source>This docker command does not run an image of vLLM.</source>
        <translation>Dieser docker-Befehl startet kein Image von vLLM.</translation>
    </message>
    <message>
        <source>Paste one like: docker run … vllm/vllm-openai --model NAME, then options.</source>
        <translation>Einen einfügen wie: docker run … vllm/vllm-openai --model NAME, dann Optionen.</translation>
    </message>
    <message>
        <source>This is neither a vLLM command nor vLLM&apos;s configuration file.</source>
        <translation>Das ist weder ein vLLM-Befehl noch vLLMs Konfigurationsdatei.</translation>
    </message>
    <message>
        <source>Paste a command that begins with vllm serve or docker run, or a file with lines like: model: NAME.</source>
        <translation>Einen Befehl einfügen, der mit vllm serve oder docker run beginnt, oder eine Datei mit Zeilen wie: model: NAME.</translation>
    </message>
    <message>
        <source>This is neither a vLLM command nor a YAML file that can be read{where}.</source>
        <translation>Das ist weder ein vLLM-Befehl noch eine lesbare YAML-Datei{where}.</translation>
    </message>
    <message>
        <source>Paste a command that begins with vllm serve or docker run, or vLLM&apos;s configuration file.</source>
        <translation>Einen Befehl einfügen, der mit vllm serve oder docker run beginnt, oder vLLMs Konfigurationsdatei.</translation>
    </message>
    <message>
        <source>{path} could not be written: {error}.</source>
        <translation>{path} konnte nicht geschrieben werden: {error}.</translation>
    </message>
    <message>
        <source>Check the folder&apos;s permissions.</source>
        <translation>Die Rechte des Ordners prüfen.</translation>
    </message>
    <message>
        <source>No room to save {path}.</source>
        <translation>Kein Platz, um {path} zu speichern.</translation>
    </message>
    <message>
        <source>Free some disk space and save again.</source>
        <translation>Platz schaffen und noch einmal speichern.</translation>
    </message>
    <message>
        <source>{where} block_size must be a multiple of {unit}, not {size}.</source>
        <translation>{where} muss block_size ein Vielfaches von {unit} sein, nicht {size}.</translation>
    </message>
    <message>
        <source>On a GPU</source>
        <translation>Auf einer GPU</translation>
    </message>
    <message>
        <source>On the CPU</source>
        <translation>Auf der CPU</translation>
    </message>
    <message>
        <source>{tensor} × {pipeline} × {data} (tensor, pipeline, data parallel) asks for {wanted} GPUs; there {have}.</source>
        <translation>{tensor} × {pipeline} × {data} (tensor-, pipeline-, datenparallel) verlangt {wanted} GPUs; da {have}.</translation>
    </message>
    <message>
        <source>{have} chosen, but {tensor} × {pipeline} × {data} (tensor, pipeline, data parallel) uses {wanted}.</source>
        <translation>{have} gewählt, aber {tensor} × {pipeline} × {data} (tensor-, pipeline-, datenparallel) nutzt {wanted}.</translation>
    </message>
    <message>
        <source>{name} was ended as asked.</source>
        <translation>{name} wurde wie verlangt beendet.</translation>
    </message>
    <message>
        <source>{name} was ended: it is loaded anew.</source>
        <translation>{name} wurde beendet: Es wird neu geladen.</translation>
    </message>
    <message>
        <source>{name} was ended: its memory was needed.</source>
        <translation>{name} wurde beendet: Sein Speicher wurde gebraucht.</translation>
    </message>
    <message>
        <source>{name} was ended: at most {limit} may wait, and it was used least.</source>
        <translation>{name} wurde beendet: Höchstens {limit} dürfen warten, und es war am längsten nicht genutzt.</translation>
    </message>
    <message>
        <source>{most} at once</source>
        <translation>{most} zugleich</translation>
    </message>
    <message>
        <source>{size} GiB together</source>
        <translation>zusammen {size} GiB</translation>
    </message>
    <message>
        <source>{name} could not be put to sleep: {reason}</source>
        <translation>{name} ließ sich nicht schlafen legen: {reason}</translation>
    </message>
    <message>
        <source>{name} did not wake: {reason}</source>
        <translation>{name} ist nicht aufgewacht: {reason}</translation>
    </message>
    <message>
        <source>{name} died while it waited: {reason}</source>
        <translation>{name} endete, während es wartete: {reason}</translation>
    </message>
    <message>
        <source>It did not fall asleep within {seconds} s.</source>
        <translation>Es schlief nicht innerhalb von {seconds} s ein.</translation>
    </message>
    <message>
        <source>It did not wake within {seconds} s.</source>
        <translation>Es wachte nicht innerhalb von {seconds} s auf.</translation>
    </message>
    <message>
        <source>It woke, and did not answer within {seconds} s.</source>
        <translation>Es wachte auf und antwortete nicht innerhalb von {seconds} s.</translation>
    </message>
    <message>
        <source>It woke, and could not answer: {reason}</source>
        <translation>Es wachte auf und konnte nicht antworten: {reason}</translation>
    </message>
    <message>
        <source>It was loaded without sleep mode.</source>
        <translation>Es wurde ohne Schlafmodus geladen.</translation>
    </message>
    <message>
        <source>End the models that wait</source>
        <translation>Wartende Modelle beenden</translation>
    </message>
    <message>
        <source>Models that wait hold {size}.</source>
        <translation>Wartende Modelle belegen {size}.</translation>
    </message>
    <message>
        <source>Since its sleep this engine answers the same prompt otherwise than before. Load it anew if its answers look wrong.</source>
        <translation>Seit dem Schlaf antwortet diese Engine auf denselben Prompt anders als vorher. Laden Sie sie neu, wenn ihre Antworten falsch aussehen.</translation>
    </message>
    <message>
        <source>Correct the load and start it again.</source>
        <translation>Die Last berichtigen und neu starten.</translation>
    </message>
    <message>
        <source>Say how many requests to send, or for how long.</source>
        <translation>Angeben, wie viele Anfragen gesendet werden oder wie lange.</translation>
    </message>
    <message>
        <source>The number of requests has to be at least 1.</source>
        <translation>Es muss mindestens 1 Anfrage sein.</translation>
    </message>
    <message>
        <source>The duration has to be more than 0 seconds.</source>
        <translation>Die Dauer muss über 0 Sekunden liegen.</translation>
    </message>
    <message>
        <source>The number of warm-up requests cannot be negative.</source>
        <translation>Die Zahl der Aufwärmanfragen kann nicht negativ sein.</translation>
    </message>
    <message>
        <source>The limit of requests a second has to be more than 0.</source>
        <translation>Die Grenze der Anfragen je Sekunde muss über 0 liegen.</translation>
    </message>
    <message>
        <source>The time-out of a request has to be more than 0 seconds.</source>
        <translation>Die Frist einer Anfrage muss über 0 Sekunden liegen.</translation>
    </message>
    <message>
        <source>The system prompt can have 0 to {most} tokens.</source>
        <translation>Der System-Prompt kann 0 bis {most} Tokens haben.</translation>
    </message>
    <message>
        <source>There can be 1 to {most} clients.</source>
        <translation>Es können 1 bis {most} Clients sein.</translation>
    </message>
    <message>
        <source>The time between a client&apos;s requests cannot be negative.</source>
        <translation>Die Zeit zwischen den Anfragen eines Clients kann nicht negativ sein.</translation>
    </message>
    <message>
        <source>At least 1 request has to be allowed at once.</source>
        <translation>Mindestens 1 Anfrage muss zugleich erlaubt sein.</translation>
    </message>
    <message>
        <source>The rate and the burstiness have to be more than 0.</source>
        <translation>Rate und Stoßhaftigkeit müssen über 0 liegen.</translation>
    </message>
    <message>
        <source>A burst needs at least 1 request and more than 0 seconds to the next.</source>
        <translation>Ein Stoß braucht mindestens 1 Anfrage und mehr als 0 Sekunden bis zum nächsten.</translation>
    </message>
    <message>
        <source>A ramp goes from 0 or more to more than 0 requests a second, in more than 0 seconds.</source>
        <translation>Eine Rampe geht von 0 oder mehr auf über 0 Anfragen je Sekunde, in mehr als 0 Sekunden.</translation>
    </message>
    <message>
        <source>Arrival as recorded needs a recorded log.</source>
        <translation>Ankunft wie aufgezeichnet braucht ein aufgezeichnetes Protokoll.</translation>
    </message>
    <message>
        <source>The speed of the replay has to be more than 0.</source>
        <translation>Das Tempo der Wiedergabe muss über 0 liegen.</translation>
    </message>
    <message>
        <source>The prompt length has to be 1 to {most} tokens.</source>
        <translation>Die Prompt-Länge muss 1 bis {most} Tokens sein.</translation>
    </message>
    <message>
        <source>The output length has to be 1 to {most} tokens.</source>
        <translation>Die Antwortlänge muss 1 bis {most} Tokens sein.</translation>
    </message>
    <message>
        <source>The prompt length needs a least value of 1 or more that is not above the most.</source>
        <translation>Die Prompt-Länge braucht einen kleinsten Wert ab 1, der nicht über dem größten liegt.</translation>
    </message>
    <message>
        <source>The output length needs a least value of 1 or more that is not above the most.</source>
        <translation>Die Antwortlänge braucht einen kleinsten Wert ab 1, der nicht über dem größten liegt.</translation>
    </message>
    <message>
        <source>The deviation of the prompt length cannot be negative.</source>
        <translation>Die Streuung der Prompt-Länge kann nicht negativ sein.</translation>
    </message>
    <message>
        <source>The deviation of the output length cannot be negative.</source>
        <translation>Die Streuung der Antwortlänge kann nicht negativ sein.</translation>
    </message>
    <message>
        <source>The prompt length needs a median above 0 and a sigma of 0 or more.</source>
        <translation>Die Prompt-Länge braucht einen Median über 0 und ein Sigma ab 0.</translation>
    </message>
    <message>
        <source>The output length needs a median above 0 and a sigma of 0 or more.</source>
        <translation>Die Antwortlänge braucht einen Median über 0 und ein Sigma ab 0.</translation>
    </message>
    <message>
        <source>The prompt length cannot come from the data: there are none.</source>
        <translation>Die Prompt-Länge kann nicht aus den Daten kommen: Es gibt keine.</translation>
    </message>
    <message>
        <source>The output length cannot come from the data: there are none.</source>
        <translation>Die Antwortlänge kann nicht aus den Daten kommen: Es gibt keine.</translation>
    </message>
    <message>
        <source>A conversation needs at least 1 turn.</source>
        <translation>Ein Gespräch braucht mindestens 1 Runde.</translation>
    </message>
    <message>
        <source>Choose the file with the data.</source>
        <translation>Die Datei mit den Daten wählen.</translation>
    </message>
    <message>
        <source>There is no file {path}.</source>
        <translation>Es gibt keine Datei {path}.</translation>
    </message>
    <message>
        <source>The baseline does not say which checkpoint it measured.</source>
        <translation>Die Baseline sagt nicht, welchen Checkpoint sie gemessen hat.</translation>
    </message>
    <message>
        <source>Give --address or --checkpoint.</source>
        <translation>--address oder --checkpoint angeben.</translation>
    </message>
    <message>
        <source>The runs in {path} are of a newer KVDeck (format {version}, this one knows {known}).</source>
        <translation>Die Läufe in {path} sind von einem neueren KVDeck (Format {version}, dieses kennt {known}).</translation>
    </message>
    <message>
        <source>Update KVDeck; until then runs are not kept.</source>
        <translation>KVDeck aktualisieren; bis dahin werden Läufe nicht aufbewahrt.</translation>
    </message>
    <message>
        <source>There is no room to keep runs in {path}.</source>
        <translation>Es ist kein Platz, um Läufe in {path} aufzubewahren.</translation>
    </message>
    <message>
        <source>Benchmark runs cannot be read or written in {path}: {error}.</source>
        <translation>Läufe können in {path} nicht gelesen oder geschrieben werden: {error}.</translation>
    </message>
    <message>
        <source>The file of benchmark runs was damaged ({error}); it is kept as {name}, and a new one was begun.</source>
        <translation>Die Datei der Läufe war beschädigt ({error}); sie bleibt als {name} erhalten, und eine neue wurde begonnen.</translation>
    </message>
    <message>
        <source>{path} holds nothing to send.</source>
        <translation>{path} enthält nichts zu senden.</translation>
    </message>
    <message>
        <source>{path} is no list of conversations.</source>
        <translation>{path} ist keine Liste von Gesprächen.</translation>
    </message>
    <message>
        <source>{path} is not UTF-8 text.</source>
        <translation>{path} ist kein UTF-8-Text.</translation>
    </message>
    <message>
        <source>{path} is no JSON: {error}.</source>
        <translation>{path} ist kein JSON: {error}.</translation>
    </message>
    <message>
        <source>{path}, line {number}: {missing} is missing.</source>
        <translation>{path}, Zeile {number}: {missing} fehlt.</translation>
    </message>
    <message>
        <source>Choose another file.</source>
        <translation>Eine andere Datei wählen.</translation>
    </message>
    <message>
        <source>Choose a ShareGPT file.</source>
        <translation>Eine ShareGPT-Datei wählen.</translation>
    </message>
    <message>
        <source>Correct the file.</source>
        <translation>Die Datei berichtigen.</translation>
    </message>
    <message>
        <source>The load cannot be read: {error}.</source>
        <translation>Die Last ist nicht lesbar: {error}.</translation>
    </message>
    <message>
        <source>Correct it and try again.</source>
        <translation>Berichtigen und noch einmal versuchen.</translation>
    </message>
    <message>
        <source>Nothing answers at {url}.</source>
        <translation>Unter {url} antwortet nichts.</translation>
    </message>
    <message>
        <source>Nothing answers at {url} ({error}).</source>
        <translation>Unter {url} antwortet nichts ({error}).</translation>
    </message>
    <message>
        <source>Check the address, and that the server runs.</source>
        <translation>Die Adresse prüfen, und ob der Server läuft.</translation>
    </message>
    <message>
        <source>The server asks for another key.</source>
        <translation>Der Server verlangt einen anderen Schlüssel.</translation>
    </message>
    <message>
        <source>Give its key, and try again.</source>
        <translation>Seinen Schlüssel angeben und noch einmal versuchen.</translation>
    </message>
    <message>
        <source>The tokenizer cannot be used: {error}.</source>
        <translation>Der Tokenizer ist nicht zu gebrauchen: {error}.</translation>
    </message>
    <message>
        <source>Choose a folder with a tokenizer.json, or none.</source>
        <translation>Einen Ordner mit tokenizer.json wählen oder keinen.</translation>
    </message>
    <message>
        <source>{url} serves no model (HTTP {status}).</source>
        <translation>{url} bedient kein Modell (HTTP {status}).</translation>
    </message>
    <message>
        <source>Load a model, or check the address.</source>
        <translation>Ein Modell laden oder die Adresse prüfen.</translation>
    </message>
    <message>
        <source>The engine host went away.</source>
        <translation>Der Engine-Host ist fort.</translation>
    </message>
    <message>
        <source>See its log.</source>
        <translation>Sein Protokoll ansehen.</translation>
    </message>
    <message>
        <source>See the log.</source>
        <translation>Das Protokoll ansehen.</translation>
    </message>
    <message>
        <source>The load process ended with {code}.</source>
        <translation>Der Prozess der Last endete mit {code}.</translation>
    </message>
    <message>
        <source>The load process said nothing.</source>
        <translation>Der Prozess der Last sagte nichts.</translation>
    </message>
    <message>
        <source>Look at the details, and try again.</source>
        <translation>Die Einzelheiten ansehen und noch einmal versuchen.</translation>
    </message>
    <message>
        <source>Another load runs already.</source>
        <translation>Eine andere Last läuft schon.</translation>
    </message>
    <message>
        <source>Stop it first.</source>
        <translation>Sie erst anhalten.</translation>
    </message>
    <message>
        <source>The run {title} has no result.</source>
        <translation>Der Lauf {title} hat kein Ergebnis.</translation>
    </message>
    <message>
        <source>Choose one that finished.</source>
        <translation>Einen wählen, der zu Ende kam.</translation>
    </message>
    <message>
        <source>There is no run {id}.</source>
        <translation>Es gibt keinen Lauf {id}.</translation>
    </message>
    <message>
        <source>It was deleted; choose another one.</source>
        <translation>Er wurde gelöscht; einen anderen wählen.</translation>
    </message>
    <message>
        <source>It was deleted.</source>
        <translation>Er wurde gelöscht.</translation>
    </message>
    <message>
        <source>The file of benchmark runs is not open.</source>
        <translation>Die Datei der Läufe ist nicht offen.</translation>
    </message>
    <message>
        <source>The run was deleted while it went on.</source>
        <translation>Der Lauf wurde gelöscht, während er lief.</translation>
    </message>
    <message>
        <source>{path} is of another version.</source>
        <translation>{path} ist von einer anderen Version.</translation>
    </message>
    <message>
        <source>{path} is no baseline: {error}.</source>
        <translation>{path} ist keine Baseline: {error}.</translation>
    </message>
    <message>
        <source>Write it again with --save-baseline.</source>
        <translation>Mit --save-baseline neu schreiben.</translation>
    </message>
    <message>
        <source>Write one with `kvdeck bench --save-baseline FILE`.</source>
        <translation>Eine mit `kvdeck bench --save-baseline DATEI` schreiben.</translation>
    </message>
    <message>
        <source>Check the path.</source>
        <translation>Den Pfad prüfen.</translation>
    </message>
    <message>
        <source>{names} cannot be changed while the engine runs.</source>
        <translation>{names} können nicht geändert werden, solange die Engine läuft.</translation>
    </message>
    <message>
        <source>Allow reloads between the runs, or compare live parameters.</source>
        <translation>Neuladen zwischen den Läufen erlauben oder Live-Parameter vergleichen.</translation>
    </message>
    <message>
        <source>The load was ended from elsewhere.</source>
        <translation>Das Laden wurde von anderswo beendet.</translation>
    </message>
    <message>
        <source>Start again when the engine is free.</source>
        <translation>Neu starten, wenn die Engine frei ist.</translation>
    </message>
    <message>
        <source>No engine is ready.</source>
        <translation>Keine Engine ist bereit.</translation>
    </message>
    <message>
        <source>Load a model first, and wait until it is ready.</source>
        <translation>Erst ein Modell laden und warten, bis es bereit ist.</translation>
    </message>
    <message>
        <source>The engine did not get ready within half an hour.</source>
        <translation>Die Engine wurde innerhalb einer halben Stunde nicht bereit.</translation>
    </message>
    <message>
        <source>Try again.</source>
        <translation>Noch einmal versuchen.</translation>
    </message>
    <message>
        <source>Choose a full-precision checkpoint that transformers knows.</source>
        <translation>Einen Checkpoint in voller Genauigkeit wählen, den Transformers kennt.</translation>
    </message>
    <message>
        <source>transformers could not load {checkpoint}: {cause}</source>
        <translation>Transformers konnte {checkpoint} nicht laden: {cause}</translation>
    </message>
    <message>
        <source>No request of the load succeeded.</source>
        <translation>Keine Anfrage der Last gelang.</translation>
    </message>
    <message>
        <source>Look at the run.</source>
        <translation>Den Lauf ansehen.</translation>
    </message>
    <message>
        <source>The engine is on another machine.</source>
        <translation>Die Engine ist auf einem anderen Rechner.</translation>
    </message>
    <message>
        <source>Run the comparison there.</source>
        <translation>Den Vergleich dort ausführen.</translation>
    </message>
    <message>
        <source>The job {path} is damaged.</source>
        <translation>Der Auftrag {path} ist beschädigt.</translation>
    </message>
    <message>
        <source>There is no job {id}.</source>
        <translation>Es gibt keinen Auftrag {id}.</translation>
    </message>
    <message>
        <source>The job {id} still runs.</source>
        <translation>Der Auftrag {id} läuft noch.</translation>
    </message>
    <message>
        <source>Cancel it first.</source>
        <translation>Ihn erst abbrechen.</translation>
    </message>
    <message>
        <source>{id} is no job&apos;s name.</source>
        <translation>{id} ist kein Name eines Auftrags.</translation>
    </message>
    <message>
        <source>Another process works on job {id}.</source>
        <translation>Ein anderer Prozess arbeitet am Auftrag {id}.</translation>
    </message>
    <message>
        <source>Wait for it, or cancel it there.</source>
        <translation>Darauf warten oder ihn dort abbrechen.</translation>
    </message>
    <message>
        <source>Start a new one.</source>
        <translation>Einen neuen beginnen.</translation>
    </message>
    <message>
        <source>Choose one from the list.</source>
        <translation>Einen aus der Liste wählen.</translation>
    </message>
    <message>
        <source>Check the folder.</source>
        <translation>Den Ordner prüfen.</translation>
    </message>
    <message>
        <source>The text could not be scored: {error}.</source>
        <translation>Der Text konnte nicht bewertet werden: {error}.</translation>
    </message>
    <message>
        <source>The text has too few tokens for this model.</source>
        <translation>Der Text hat für dieses Modell zu wenige Tokens.</translation>
    </message>
    <message>
        <source>Leave perplexity out.</source>
        <translation>Perplexität weglassen.</translation>
    </message>
    <message>
        <source>Look at the engine&apos;s log.</source>
        <translation>Das Protokoll der Engine ansehen.</translation>
    </message>
    <message>
        <source>A model is being loaded or unloaded.</source>
        <translation>Ein Modell wird gerade geladen oder entladen.</translation>
    </message>
    <message>
        <source>Start again when that is done.</source>
        <translation>Neu starten, wenn das fertig ist.</translation>
    </message>
    <message>
        <source>The engine has gone again.</source>
        <translation>Die Engine ist wieder fort.</translation>
    </message>
    <message>
        <source>Load it again.</source>
        <translation>Sie neu laden.</translation>
    </message>
    <message>
        <source>Load {name} again</source>
        <translation>{name} neu laden</translation>
    </message>
    <message>
        <source>Change the values.</source>
        <translation>Die Werte ändern.</translation>
    </message>
    <message>
        <source>There is nothing to vary.</source>
        <translation>Es gibt nichts zu verändern.</translation>
    </message>
    <message>
        <source>Choose at least one parameter.</source>
        <translation>Mindestens einen Parameter wählen.</translation>
    </message>
    <message>
        <source>{name} is varied twice.</source>
        <translation>{name} wird zweimal verändert.</translation>
    </message>
    <message>
        <source>Put all its values into one axis.</source>
        <translation>Alle Werte in eine Achse legen.</translation>
    </message>
    <message>
        <source>The grid has {points} points; {most} is the most.</source>
        <translation>Das Raster hat {points} Punkte; {most} sind das Höchste.</translation>
    </message>
    <message>
        <source>Leave out some values.</source>
        <translation>Einige Werte weglassen.</translation>
    </message>
    <message>
        <source>{objective} is no figure that can be better or worse.</source>
        <translation>{objective} ist keine Zahl, die besser oder schlechter sein kann.</translation>
    </message>
    <message>
        <source>Choose a figure.</source>
        <translation>Eine Kennzahl wählen.</translation>
    </message>
    <message>
        <source>Goodput needs a target.</source>
        <translation>Goodput braucht ein Ziel.</translation>
    </message>
    <message>
        <source>Say how long a first token or an answer may take.</source>
        <translation>Angeben, wie lange ein erstes Token oder eine Antwort dauern darf.</translation>
    </message>
    <message>
        <source>The load has no end.</source>
        <translation>Die Last hat kein Ende.</translation>
    </message>
    <message>
        <source>Give it a number of requests or a duration.</source>
        <translation>Ihr eine Zahl von Anfragen oder eine Dauer geben.</translation>
    </message>
    <message>
        <source>A and B are the same.</source>
        <translation>A und B sind gleich.</translation>
    </message>
    <message>
        <source>Change a value of one of them.</source>
        <translation>Einen Wert von einem der beiden ändern.</translation>
    </message>
    <message>
        <source>{blocks} pairs of runs tell nothing, or take for ever.</source>
        <translation>{blocks} Paare von Läufen sagen nichts oder dauern ewig.</translation>
    </message>
    <message>
        <source>Choose {fewest} to {most} pairs.</source>
        <translation>{fewest} bis {most} Paare wählen.</translation>
    </message>
    <message>
        <source>A confidence of {confidence} is none.</source>
        <translation>Ein Vertrauen von {confidence} ist keines.</translation>
    </message>
    <message>
        <source>0.95 is usual.</source>
        <translation>0,95 ist üblich.</translation>
    </message>
    <message>
        <source>There is no format to compare.</source>
        <translation>Es gibt kein Format zu vergleichen.</translation>
    </message>
    <message>
        <source>Choose at least one checkpoint.</source>
        <translation>Mindestens einen Checkpoint wählen.</translation>
    </message>
    <message>
        <source>Two formats have the same key.</source>
        <translation>Zwei Formate haben denselben Schlüssel.</translation>
    </message>
    <message>
        <source>Name each once.</source>
        <translation>Jedes einmal nennen.</translation>
    </message>
    <message>
        <source>There is no format {name}.</source>
        <translation>Es gibt kein Format {name}.</translation>
    </message>
    <message>
        <source>Name one of the formats for transformers.</source>
        <translation>Eines der Formate für Transformers nennen.</translation>
    </message>
    <message>
        <source>{name} has no values.</source>
        <translation>{name} hat keine Werte.</translation>
    </message>
    <message>
        <source>Give it at least one.</source>
        <translation>Mindestens einen geben.</translation>
    </message>
    <message>
        <source>A value of {name} is there twice.</source>
        <translation>Ein Wert von {name} ist zweimal da.</translation>
    </message>
    <message>
        <source>Name each value once.</source>
        <translation>Jeden Wert einmal nennen.</translation>
    </message>
    <message>
        <source>A budget is more than no time.</source>
        <translation>Ein Budget ist mehr als keine Zeit.</translation>
    </message>
    <message>
        <source>Give the search some seconds.</source>
        <translation>Der Suche einige Sekunden geben.</translation>
    </message>
    <message>
        <source>Every point of the grid needs a reload.</source>
        <translation>Jeder Punkt des Rasters braucht ein Neuladen.</translation>
    </message>
    <message>
        <source>Allow reloads, or vary live parameters.</source>
        <translation>Neuladen erlauben oder Live-Parameter verändern.</translation>
    </message>
</context>
<context>
    <name>EngineChoice</name>
    <message>
        <source>Engine shown</source>
        <translation>Gezeigte Engine</translation>
    </message>
    <message>
        <source>The model runs as several engines (data parallel), each with a cache of its own</source>
        <translation>Das Modell läuft als mehrere Engines (data parallel), jede mit eigenem Cache</translation>
    </message>
    <message>
        <source>Engine {number} of {all}</source>
        <translation>Engine {number} von {all}</translation>
    </message>
</context>
<context>
    <name>EngineCommands</name>
    <message>
        <source>Load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>Neu laden</translation>
    </message>
    <message>
        <source>Engine host</source>
        <translation>Engine-Host</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>Entladen</translation>
    </message>
    <message>
        <source>No model has been loaded yet.</source>
        <translation>Es wurde noch kein Modell geladen.</translation>
    </message>
    <message>
        <source>Choose one in Models.</source>
        <translation>Eines unter Modelle wählen.</translation>
    </message>
    <message>
        <source>Save parameters</source>
        <translation>Parameter sichern</translation>
    </message>
    <message>
        <source>Apply limits</source>
        <translation>Grenzen anwenden</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>Priorität</translation>
    </message>
    <message>
        <source>Priorities count once scheduling_policy is priority.</source>
        <translation>Prioritäten zählen, sobald scheduling_policy auf priority steht.</translation>
    </message>
    <message>
        <source>Change it in Parameters; it is live.</source>
        <translation>Ändern Sie das unter Parameter; es gilt sofort.</translation>
    </message>
    <message>
        <source>Abort</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Reset prefix cache</source>
        <translation>Präfix-Cache leeren</translation>
    </message>
    <message>
        <source>The prefix cache was not reset: running requests use it.</source>
        <translation>Der Präfix-Cache wurde nicht geleert: laufende Anfragen benutzen ihn.</translation>
    </message>
    <message>
        <source>Wait until they have finished, or stop them.</source>
        <translation>Warten, bis sie fertig sind, oder sie anhalten.</translation>
    </message>
    <message>
        <source>Build the starter model</source>
        <translation>Startmodell bauen</translation>
    </message>
</context>
<context>
    <name>EngineFeed</name>
    <message>
        <source>Engine events</source>
        <translation>Ereignisse der Engine</translation>
    </message>
    <message>
        <source>Engine {number} shows nothing here.</source>
        <translation>Engine {number} zeigt hier nichts.</translation>
    </message>
</context>
<context>
    <name>EventList</name>
    <message>
        <source>Events of the KV cache, newest first</source>
        <translation>Ereignisse des KV-Cache, neueste zuerst</translation>
    </message>
    <message>
        <source>Nothing has happened yet. Admissions, preemptions, evictions, failures, stalls come here.</source>
        <translation>Noch ist nichts geschehen. Hierher kommen Zulassungen, Verdrängungen, Räumungen, Fehlschläge und Stockungen.</translation>
    </message>
</context>
<context>
    <name>ExchangeActions</name>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Import a command or file…</source>
        <translation>Befehl oder Datei einlesen …</translation>
    </message>
    <message>
        <source>Export as command, YAML or docker…</source>
        <translation>Als Befehl, YAML oder docker ausgeben …</translation>
    </message>
    <message>
        <source>Profiles of this model…</source>
        <translation>Profile dieses Modells …</translation>
    </message>
    <message>
        <source>Compare edits with what runs…</source>
        <translation>Änderungen mit dem Laufenden vergleichen …</translation>
    </message>
</context>
<context>
    <name>ExchangeDialog</name>
    <message>
        <source>Parameters elsewhere</source>
        <translation>Parameter anderswo</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>Seite</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>Einlesen</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Ausgeben</translation>
    </message>
    <message>
        <source>Profiles</source>
        <translation>Profile</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>Unterschiede</translation>
    </message>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
    <message>
        <source>imported</source>
        <translation>eingelesen</translation>
    </message>
    <message>
        <source>Take over as edits</source>
        <translation>Als Änderungen übernehmen</translation>
    </message>
    <message>
        <source>Form</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Edited</source>
        <translation>Bearbeitet</translation>
    </message>
    <message>
        <source>Paste a vllm serve command, a docker run command or vLLM&apos;s YAML configuration file</source>
        <translation>Einen vllm-serve-Befehl, einen docker-run-Befehl oder vLLMs YAML-Konfiguration einfügen</translation>
    </message>
    <message>
        <source>What to import</source>
        <translation>Was eingelesen wird</translation>
    </message>
    <message>
        <source>Open a file…</source>
        <translation>Datei öffnen …</translation>
    </message>
    <message>
        <source>What it changes</source>
        <translation>Was sich dadurch ändert</translation>
    </message>
    <message>
        <source>Exported</source>
        <translation>Ausgegeben</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern …</translation>
    </message>
    <message>
        <source>Profiles of this model</source>
        <translation>Profile dieses Modells</translation>
    </message>
    <message>
        <source>Name of a new profile</source>
        <translation>Name eines neuen Profils</translation>
    </message>
    <message>
        <source>Keep the present parameters</source>
        <translation>Jetzige Parameter behalten</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>Vergessen</translation>
    </message>
    <message>
        <source>Edited and not in force yet: {count}</source>
        <translation>Geändert und noch nicht wirksam: {count}</translation>
    </message>
    <message>
        <source>What runs and what is edited are the same.</source>
        <translation>Was läuft und was geändert ist, ist dasselbe.</translation>
    </message>
    <message>
        <source>No engine runs; the next load starts from the defaults.</source>
        <translation>Keine Engine läuft; das nächste Laden beginnt mit den Vorgaben.</translation>
    </message>
    <message>
        <source>Model: {name}</source>
        <translation>Modell: {name}</translation>
    </message>
    <message>
        <source>trust_remote_code is left out: KVDeck asks when a model brings code of its own.</source>
        <translation>trust_remote_code bleibt weg: KVDeck fragt, wenn ein Modell eigenen Code mitbringt.</translation>
    </message>
    <message>
        <source>Left out: {what}</source>
        <translation>Weggelassen: {what}</translation>
    </message>
    <message>
        <source>It changes nothing: all of it is so already.</source>
        <translation>Es ändert nichts: All das gilt schon.</translation>
    </message>
    <message>
        <source>Profiles belong to a model: load one first.</source>
        <translation>Profile gehören zu einem Modell: Laden Sie zuerst eines.</translation>
    </message>
    <message>
        <source>No profile yet. One keeps what deviates from the defaults, as TOML.</source>
        <translation>Noch kein Profil. Eines hält als TOML fest, was von den Vorgaben abweicht.</translation>
    </message>
    <message>
        <source>A profile&apos;s values become edits; they are in force once they are applied.</source>
        <translation>Die Werte eines Profils werden zu Änderungen; wirksam sind sie, sobald sie angewandt werden.</translation>
    </message>
    <message>
        <source>A command or a configuration file</source>
        <translation>Ein Befehl oder eine Konfigurationsdatei</translation>
    </message>
    <message>
        <source>it is no text</source>
        <translation>sie ist kein Text</translation>
    </message>
    <message>
        <source>{file} cannot be read: {reason}.</source>
        <translation>{file} lässt sich nicht lesen: {reason}.</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>{file} cannot be written: {reason}.</source>
        <translation>{file} lässt sich nicht schreiben: {reason}.</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation>Wählen Sie einen anderen Ordner.</translation>
    </message>
</context>
<context>
    <name>ExplainPanel</name>
    <message>
        <source>Explain</source>
        <translation>Erklären</translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation>Roofline</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>Lektionen</translation>
    </message>
    <message>
        <source>Lessons: four ideas on this engine</source>
        <translation>Lektionen: vier Ideen an dieser Engine</translation>
    </message>
    <message>
        <source>Stop the lesson</source>
        <translation>Lektion anhalten</translation>
    </message>
    <message>
        <source>Each kind of step will be a mark here: how much it computes for a byte it reads, and how fast. Load a model and ask it.</source>
        <translation>Jede Art von Schritt wird hier eine Marke: wie viel sie je gelesenem Byte rechnet, und wie schnell. Laden Sie ein Modell und fragen Sie es etwas.</translation>
    </message>
    <message>
        <source>What a step costs is not known: this model&apos;s safetensors files are not on this machine, or do not tell.</source>
        <translation>Was ein Schritt kostet, ist nicht bekannt: Die safetensors-Dateien dieses Modells sind nicht auf diesem Rechner oder sagen es nicht.</translation>
    </message>
    <message>
        <source>Reading the model&apos;s weights…</source>
        <translation>Die Gewichte des Modells werden gelesen …</translation>
    </message>
    <message>
        <source>No step of the last seconds has been seen whole. Ask the model something.</source>
        <translation>Kein Schritt der letzten Sekunden wurde ganz gesehen. Fragen Sie das Modell etwas.</translation>
    </message>
    <message>
        <source>{0} has not been measured on this device: this model has no roof to stand under.</source>
        <translation>{0} ist auf diesem Gerät nicht gemessen: Dieses Modell hat kein Dach, unter dem es stehen könnte.</translation>
    </message>
</context>
<context>
    <name>FailurePanel</name>
    <message>
        <source>Copy details</source>
        <translation>Einzelheiten kopieren</translation>
    </message>
    <message>
        <source>Open the log</source>
        <translation>Protokoll öffnen</translation>
    </message>
    <message>
        <source>The last lines of the engine&apos;s log</source>
        <translation>Die letzten Zeilen des Engine-Protokolls</translation>
    </message>
    <message>
        <source>The engine died: {name}</source>
        <translation>Die Engine ist abgestürzt: {name}</translation>
    </message>
    <message>
        <source>The engine died</source>
        <translation>Die Engine ist abgestürzt</translation>
    </message>
    <message>
        <source>The recording cannot be shown</source>
        <translation>Die Aufzeichnung lässt sich nicht zeigen</translation>
    </message>
    <message>
        <source>The engine host cannot be reached</source>
        <translation>Der Engine-Host ist nicht erreichbar</translation>
    </message>
    <message>
        <source>{name} could not be loaded</source>
        <translation>{name} ließ sich nicht laden</translation>
    </message>
    <message>
        <source>The load failed</source>
        <translation>Das Laden ist gescheitert</translation>
    </message>
    <message>
        <source>Start again</source>
        <translation>Neu starten</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal versuchen</translation>
    </message>
    <message>
        <source>Back to {name}</source>
        <translation>Zurück zu {name}</translation>
    </message>
    <message>
        <source>Use a free port</source>
        <translation>Freien Port nehmen</translation>
    </message>
    <message>
        <source>Loads again with {changes}</source>
        <translation>Lädt noch einmal mit {changes}</translation>
    </message>
    <message>
        <source>Hide the log</source>
        <translation>Protokoll einklappen</translation>
    </message>
    <message numerus="yes">
        <source>Show the last %n lines of the log</source>
        <translation>
            <numerusform>Die letzte Zeile des Protokolls zeigen</numerusform>
            <numerusform>Die letzten %n Zeilen des Protokolls zeigen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FamilyRow</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>woken in {span}</source>
        <translation>in {span} geweckt</translation>
    </message>
</context>
<context>
    <name>FaultCatcher</name>
    <message>
        <source>Something went wrong in the window: {error}</source>
        <translation>Im Fenster ist etwas schiefgegangen: {error}</translation>
    </message>
    <message>
        <source>The log has the details.</source>
        <translation>Einzelheiten stehen im Protokoll.</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>{minutes} min {seconds} s</source>
        <translation>{minutes} min {seconds} s</translation>
    </message>
</context>
<context>
    <name>FiguresTable</name>
    <message>
        <source>Figure</source>
        <translation>Kennzahl</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>deviation</source>
        <translation>Abweichung</translation>
    </message>
    <message>
        <source>least</source>
        <translation>kleinster</translation>
    </message>
    <message>
        <source>most</source>
        <translation>größter</translation>
    </message>
    <message>
        <source>Figures of the run</source>
        <translation>Kennzahlen des Laufs</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>From vLLM&apos;s own histograms: interpolated within a bucket, other clients&apos; requests are in it.</source>
        <translation>Aus vLLMs eigenen Histogrammen: innerhalb einer Klasse interpoliert, Anfragen anderer sind enthalten.</translation>
    </message>
</context>
<context>
    <name>FileActions</name>
    <message>
        <source>Record</source>
        <translation>Aufzeichnen</translation>
    </message>
    <message>
        <source>Open a recording…</source>
        <translation>Aufzeichnung öffnen …</translation>
    </message>
    <message>
        <source>Compare two recordings…</source>
        <translation>Zwei Aufzeichnungen vergleichen …</translation>
    </message>
    <message>
        <source>Open the sample recording</source>
        <translation>Beispielaufzeichnung öffnen</translation>
    </message>
    <message>
        <source>Save as a picture</source>
        <translation>Als Bild speichern</translation>
    </message>
    <message>
        <source>The whole window…</source>
        <translation>Das ganze Fenster …</translation>
    </message>
    <message>
        <source>{panel}…</source>
        <translation>{panel} …</translation>
    </message>
    <message>
        <source>A window for {file} could not be opened.</source>
        <translation>Ein Fenster für {file} ließ sich nicht öffnen.</translation>
    </message>
    <message>
        <source>Try: kvdeck --replay {file}</source>
        <translation>Versuchen Sie: kvdeck --replay {file}</translation>
    </message>
    <message>
        <source>Saved {file}</source>
        <translation>{file} gespeichert</translation>
    </message>
    <message>
        <source>Stop recording</source>
        <translation>Aufzeichnung beenden</translation>
    </message>
    <message>
        <source>The first recording</source>
        <translation>Die erste Aufzeichnung</translation>
    </message>
    <message>
        <source>The second recording</source>
        <translation>Die zweite Aufzeichnung</translation>
    </message>
    <message>
        <source>Recordings</source>
        <translation>Aufzeichnungen</translation>
    </message>
    <message>
        <source>Open a recording</source>
        <translation>Aufzeichnung öffnen</translation>
    </message>
</context>
<context>
    <name>FindingCard</name>
    <message>
        <source>Writes it into the parameter table; nothing changes before you apply it there.</source>
        <translation>Schreibt es in die Parametertabelle; es ändert sich nichts, bevor Sie es dort anwenden.</translation>
    </message>
    <message>
        <source>Nothing is loaded by this.</source>
        <translation>Dadurch wird nichts geladen.</translation>
    </message>
</context>
<context>
    <name>FitCard</name>
    <message>
        <source>Fit estimate</source>
        <translation>Platzschätzung</translation>
    </message>
    <message>
        <source>others</source>
        <translation>andere</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>activations, graphs, runtime</source>
        <translation>Aktivierungen, Graphen, Laufzeit</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV-Cache</translation>
    </message>
    <message>
        <source>free: {size}</source>
        <translation>frei: {size}</translation>
    </message>
    <message>
        <source>Does not fit: {weights} of weights and {rest} beside them, {budget} may be used.</source>
        <translation>Passt nicht: {weights} Gewichte und {rest} daneben; {budget} dürfen belegt werden.</translation>
    </message>
    <message>
        <source>{size} for the KV cache; its cost a token is not known.</source>
        <translation>{size} für den KV-Cache; was ein Token darin kostet, ist nicht bekannt.</translation>
    </message>
    <message>
        <source>Too short: {tokens} tokens fit, one request may have {length}.</source>
        <translation>Zu knapp: {tokens} Tokens passen, eine Anfrage darf {length} haben.</translation>
    </message>
    <message>
        <source>Fits {tokens} tokens: {requests} × {length}</source>
        <translation>Fasst {tokens} Tokens: {requests} × {length}</translation>
    </message>
    <message>
        <source>(without FP8 {tokens})</source>
        <translation>(ohne FP8 {tokens})</translation>
    </message>
    <message>
        <source>Weights {size}, counted from the files&apos; headers.</source>
        <translation>Gewichte {size}, aus den Köpfen der Dateien gezählt.</translation>
    </message>
    <message>
        <source>KV cache {size} = {tokens} tokens of {each} bytes.</source>
        <translation>KV-Cache {size} = {tokens} Tokens zu {each} Bytes.</translation>
    </message>
    <message>
        <source>Activations, graphs and the runtime about {size} (the load measures them).</source>
        <translation>Aktivierungen, Graphen und Laufzeit etwa {size} (das Laden misst sie).</translation>
    </message>
    <message>
        <source>Others hold {size} of {total}.</source>
        <translation>Andere belegen {size} von {total}.</translation>
    </message>
    <message>
        <source>With kv_cache_dtype fp8 the same memory would hold {tokens} tokens.</source>
        <translation>Mit kv_cache_dtype fp8 fasste derselbe Speicher {tokens} Token.</translation>
    </message>
    <message>
        <source>Models that wait hold {size} of it.</source>
        <translation>Wartende Modelle belegen {size} davon.</translation>
    </message>
    <message>
        <source>The running engine&apos;s {size} are counted as free: it ends before the load.</source>
        <translation>Die {size} der laufenden Engine zählen als frei: Sie endet vor dem Laden.</translation>
    </message>
    <message>
        <source>One request of full length needs gpu_memory_utilization {share}.</source>
        <translation>Eine Anfrage voller Länge braucht gpu_memory_utilization {share}.</translation>
    </message>
    <message>
        <source>Last load: {reported} tokens</source>
        <translation>Letztes Laden: {reported} Tokens</translation>
    </message>
    <message>
        <source>Last load: {predicted} predicted, {reported} reported ({error} off)</source>
        <translation>Letztes Laden: {predicted} vorhergesagt, {reported} gemeldet ({error} daneben)</translation>
    </message>
    <message>
        <source>gpu_memory_utilization {share} would do.</source>
        <translation>gpu_memory_utilization {share} würde genügen.</translation>
    </message>
    <message>
        <source>Lower max_model_len, or give the KV cache more room.</source>
        <translation>Senken Sie max_model_len, oder geben Sie dem KV-Cache mehr Platz.</translation>
    </message>
    <message>
        <source>Lower max_model_len.</source>
        <translation>Senken Sie max_model_len.</translation>
    </message>
</context>
<context>
    <name>FitWatch</name>
    <message>
        <source>Left-over engine processes</source>
        <translation>Übrig gebliebene Engine-Prozesse</translation>
    </message>
    <message>
        <source>Fit estimate</source>
        <translation>Platzschätzung</translation>
    </message>
</context>
<context>
    <name>FormatsControl</name>
    <message>
        <source>Which format is worth it?</source>
        <translation>Welches Format lohnt sich?</translation>
    </message>
    <message>
        <source>One model in its formats, and plain transformers beside them: what each weighs, holds and does on this machine, and what it costs in perplexity.</source>
        <translation>Ein Modell in seinen Formaten, daneben schlichtes transformers: was jedes auf diesem Rechner wiegt, fasst und leistet und was es an Perplexität kostet.</translation>
    </message>
    <message>
        <source>Start the comparison</source>
        <translation>Vergleich beginnen</translation>
    </message>
    <message>
        <source>No model is loaded. Load one first.</source>
        <translation>Kein Modell ist geladen. Laden Sie zuerst eines.</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>cut short</source>
        <translation>unterbrochen</translation>
    </message>
</context>
<context>
    <name>FormatsForm</name>
    <message>
        <source>Set-up of the comparison</source>
        <translation>Einstellungen des Vergleichs</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Plain transformers, one by one</source>
        <translation>transformers pur, eine nach der anderen</translation>
    </message>
    <message>
        <source>What most people come from: the same prompts, answered one by one, on this machine.</source>
        <translation>Woher die meisten kommen: dieselben Prompts, nacheinander beantwortet, auf diesem Rechner.</translation>
    </message>
    <message>
        <source>Perplexity</source>
        <translation>Perplexität</translation>
    </message>
    <message>
        <source>Over so many tokens of the text that ships with KVDeck; 0: not measured.</source>
        <translation>Über so viele Tokens des Textes, der KVDeck beiliegt; 0: nicht gemessen.</translation>
    </message>
    <message>
        <source>No model is here in two formats. Build the starter model&apos;s variants in Models.</source>
        <translation>Kein Modell liegt in zwei Formaten vor. Bauen Sie unter „Modelle“ die Varianten des Startmodells.</translation>
    </message>
    <message>
        <source>There is nothing to compare. Tick two formats, or one and transformers.</source>
        <translation>Es gibt nichts zu vergleichen. Wählen Sie zwei Formate, oder eines und transformers.</translation>
    </message>
    <message>
        <source>Each format is loaded in turn and measured alone and at load: size, memory, capacity, speed, perplexity. What is loaded now comes back at the end.</source>
        <translation>Jedes Format wird nacheinander geladen und allein und unter Last gemessen: Größe, Speicher, Kapazität, Tempo, Perplexität. Was jetzt geladen ist, kommt am Ende zurück.</translation>
    </message>
    <message>
        <source>Formats</source>
        <translation>Formate</translation>
    </message>
    <message>
        <source>Perplexity over</source>
        <translation>Perplexität über</translation>
    </message>
</context>
<context>
    <name>FormatsView</name>
    <message>
        <source>Column of the chart</source>
        <translation>Spalte des Diagramms</translation>
    </message>
    <message>
        <source>Formats of one model</source>
        <translation>Formate eines Modells</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartend</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>Formats against each other</source>
        <translation>Formate gegeneinander</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
</context>
<context>
    <name>GpuCard</name>
    <message>
        <source>GPU {0} · {1}</source>
        <translation>GPU {0} · {1}</translation>
    </message>
    <message>
        <source>the engine&apos;s</source>
        <translation>gehört der Engine</translation>
    </message>
</context>
<context>
    <name>GpuField</name>
    <message>
        <source>rank {}</source>
        <translation>Rang {}</translation>
    </message>
    <message>
        <source>Not in this machine: {}</source>
        <translation>Nicht in diesem Rechner: {}</translation>
    </message>
    <message>
        <source>No GPU was found.</source>
        <translation>Keine GPU gefunden.</translation>
    </message>
    <message>
        <source>None ticked: the first ones are taken.</source>
        <translation>Keine gewählt: Die ersten werden genommen.</translation>
    </message>
    <message>
        <source>{index} · {name} · {free} free</source>
        <translation>{index} · {name} · {free} frei</translation>
    </message>
    <message>
        <source>this engine</source>
        <translation>diese Engine</translation>
    </message>
    <message>
        <source>{who} ({pid}): {size}</source>
        <translation>{who} ({pid}): {size}</translation>
    </message>
    <message>
        <source>Nobody uses it.</source>
        <translation>Niemand benutzt sie.</translation>
    </message>
    <message>
        <source>All connected by NVLink.</source>
        <translation>Alle über NVLink verbunden.</translation>
    </message>
    <message>
        <source>on one board</source>
        <translation>auf einer Platine</translation>
    </message>
    <message>
        <source>through one PCIe switch</source>
        <translation>über einen PCIe-Switch</translation>
    </message>
    <message>
        <source>through several PCIe switches</source>
        <translation>über mehrere PCIe-Switches</translation>
    </message>
    <message>
        <source>through the processor&apos;s PCIe bridge</source>
        <translation>über die PCIe-Brücke des Prozessors</translation>
    </message>
    <message>
        <source>through one processor</source>
        <translation>über einen Prozessor</translation>
    </message>
    <message>
        <source>across two processors</source>
        <translation>über zwei Prozessoren hinweg</translation>
    </message>
    <message>
        <source>in an unknown way</source>
        <translation>auf unbekanntem Weg</translation>
    </message>
    <message>
        <source>{pair}: {way}</source>
        <translation>{pair}: {way}</translation>
    </message>
    <message>
        <source>No NVLink between {ways}</source>
        <translation>Kein NVLink zwischen {ways}</translation>
    </message>
</context>
<context>
    <name>GpuFigures</name>
    <message>
        <source>utilization</source>
        <translation>Auslastung</translation>
    </message>
    <message>
        <source>Share of the time in which at least one kernel ran. It says nothing of how well the kernels filled the GPU.</source>
        <translation>Anteil der Zeit, in der mindestens ein Kernel lief. Wie gut die Kernel die GPU gefüllt haben, sagt er nicht.</translation>
    </message>
    <message>
        <source>memory load</source>
        <translation>Speicherlast</translation>
    </message>
    <message>
        <source>Share of the time in which the memory controller read or wrote. Decode is bound by memory bandwidth, so this is high while tokens are generated.</source>
        <translation>Anteil der Zeit, in der der Speichercontroller las oder schrieb. Decode ist durch die Speicherbandbreite begrenzt, also ist er hoch, während Tokens entstehen.</translation>
    </message>
    <message>
        <source>power</source>
        <translation>Leistung</translation>
    </message>
    <message>
        <source>Power drawn now, and the limit set for this card. At the limit the clocks go down.</source>
        <translation>Jetzige Leistungsaufnahme und die Grenze dieser Karte. An der Grenze sinken die Takte.</translation>
    </message>
    <message>
        <source>temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>Temperature of the GPU.</source>
        <translation>Temperatur der GPU.</translation>
    </message>
    <message>
        <source>SM clock</source>
        <translation>SM-Takt</translation>
    </message>
    <message>
        <source>Clock of the streaming multiprocessors.</source>
        <translation>Takt der Streaming-Multiprozessoren.</translation>
    </message>
    <message>
        <source>memory clock</source>
        <translation>Speichertakt</translation>
    </message>
    <message>
        <source>Clock of the memory.</source>
        <translation>Takt des Speichers.</translation>
    </message>
    <message>
        <source>{0} of {1} cores</source>
        <translation>{0} von {1} Kernen</translation>
    </message>
    <message>
        <source>engine</source>
        <translation>Engine</translation>
    </message>
    <message>
        <source>Memory of this engine&apos;s processes, from the operating system.</source>
        <translation>Speicher der Prozesse dieser Engine, vom Betriebssystem.</translation>
    </message>
    <message>
        <source>engine&apos;s load</source>
        <translation>Last der Engine</translation>
    </message>
    <message>
        <source>How many cores the engine&apos;s processes keep busy.</source>
        <translation>Wie viele Kerne die Prozesse der Engine beschäftigen.</translation>
    </message>
    <message>
        <source>all cores</source>
        <translation>alle Kerne</translation>
    </message>
    <message>
        <source>Mean load of all cores, whoever causes it.</source>
        <translation>Mittlere Auslastung aller Kerne, von wem auch immer.</translation>
    </message>
</context>
<context>
    <name>GpuPanel</name>
    <message>
        <source>Memory and load</source>
        <translation>Speicher und Auslastung</translation>
    </message>
    <message>
        <source>Who holds the GPU&apos;s memory, and how busy it is. The first sample comes within a second.</source>
        <translation>Wer den Speicher der GPU hält und wie ausgelastet sie ist. Die erste Messung kommt binnen einer Sekunde.</translation>
    </message>
    <message>
        <source>No GPU was found.</source>
        <translation>Keine GPU gefunden.</translation>
    </message>
</context>
<context>
    <name>GroupChoice</name>
    <message>
        <source>KV-cache groups shown</source>
        <translation>Gezeigte KV-Cache-Gruppen</translation>
    </message>
    <message>
        <source>The layers of this model keep their cache in several groups, which share one pool</source>
        <translation>Die Schichten dieses Modells halten ihren Cache in mehreren Gruppen, die sich einen Vorrat teilen</translation>
    </message>
    <message>
        <source>All groups</source>
        <translation>Alle Gruppen</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>Nebeneinander</translation>
    </message>
</context>
<context>
    <name>GroupMaps</name>
    <message>
        <source>in use: {0}</source>
        <translation>belegt: {0}</translation>
    </message>
    <message>
        <source>shared: {0}</source>
        <translation>geteilt: {0}</translation>
    </message>
    <message>
        <source>cached: {0}</source>
        <translation>im Cache: {0}</translation>
    </message>
    <message>
        <source>Map of the blocks of {0}</source>
        <translation>Karte der Blöcke von {0}</translation>
    </message>
</context>
<context>
    <name>GroupWords</name>
    <message>
        <source>full attention</source>
        <translation>volle Attention</translation>
    </message>
    <message>
        <source>sliding window of {0}</source>
        <translation>gleitendes Fenster von {0}</translation>
    </message>
    <message>
        <source>attention in chunks of {0}</source>
        <translation>Attention in Stücken von {0}</translation>
    </message>
    <message>
        <source>states</source>
        <translation>Zustände</translation>
    </message>
    <message>
        <source>of another kind</source>
        <translation>von anderer Art</translation>
    </message>
    <message>
        <source>group {0}: {1}</source>
        <translation>Gruppe {0}: {1}</translation>
    </message>
    <message>
        <source>{0} tokens a block</source>
        <translation>{0} Token je Block</translation>
    </message>
    <message>
        <source>layers: {0}</source>
        <translation>Schichten: {0}</translation>
    </message>
</context>
<context>
    <name>GuideDialog</name>
    <message>
        <source>User guide</source>
        <translation>Handbuch</translation>
    </message>
    <message>
        <source>Sections</source>
        <translation>Abschnitte</translation>
    </message>
    <message>
        <source>Search the guide</source>
        <translation>Im Handbuch suchen</translation>
    </message>
    <message>
        <source>The guide does not say this.</source>
        <translation>Davon sagt das Handbuch nichts.</translation>
    </message>
</context>
<context>
    <name>HeaderBar</name>
    <message>
        <source>Load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>Entladen</translation>
    </message>
    <message>
        <source>End the engine and give its memory back</source>
        <translation>Die Engine beenden und ihren Speicher zurückgeben</translation>
    </message>
    <message>
        <source>Copy the address of the OpenAI routes, or the key</source>
        <translation>Adresse der OpenAI-Routen oder den Schlüssel kopieren</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>Neu laden</translation>
    </message>
    <message>
        <source>Wake</source>
        <translation>Wecken</translation>
    </message>
    <message>
        <source>Load this model again, with the edited parameters (Ctrl+L)</source>
        <translation>Dieses Modell mit den geänderten Parametern neu laden (Strg+L)</translation>
    </message>
    <message>
        <source>Load the chosen model (Ctrl+L)</source>
        <translation>Das gewählte Modell laden (Strg+L)</translation>
    </message>
    <message>
        <source>Copy address</source>
        <translation>Adresse kopieren</translation>
    </message>
    <message>
        <source>Copy key</source>
        <translation>Schlüssel kopieren</translation>
    </message>
</context>
<context>
    <name>HistoryChart</name>
    <message>
        <source>Memory and utilization over the last minutes</source>
        <translation>Speicher und Auslastung der letzten Minuten</translation>
    </message>
    <message>
        <source>{0} min ago</source>
        <translation>vor {0} min</translation>
    </message>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
    <message>
        <source>areas: memory · line: utilization</source>
        <translation>Flächen: Speicher · Linie: Auslastung</translation>
    </message>
</context>
<context>
    <name>HostCard</name>
    <message>
        <source>System memory</source>
        <translation>Arbeitsspeicher</translation>
    </message>
</context>
<context>
    <name>HubActions</name>
    <message>
        <source>Find models on the hub…</source>
        <translation>Modelle auf dem Hub finden …</translation>
    </message>
</context>
<context>
    <name>HubDesk</name>
    <message>
        <source>Hub</source>
        <translation>Hub</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>{model} is loaded.</source>
        <translation>{model} ist geladen.</translation>
    </message>
    <message>
        <source>Unload it or switch to another one first.</source>
        <translation>Entladen Sie es zuerst, oder wechseln Sie zu einem anderen.</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>{model} is deleted; {size} GiB are free again.</source>
        <translation>{model} ist gelöscht; {size} GiB sind wieder frei.</translation>
    </message>
    <message>
        <source>{model} is downloaded and checked.</source>
        <translation>{model} ist heruntergeladen und geprüft.</translation>
    </message>
    <message>
        <source>It is in the list of models now.</source>
        <translation>Es steht jetzt in der Liste der Modelle.</translation>
    </message>
</context>
<context>
    <name>HubDetailsView</name>
    <message>
        <source>Model card</source>
        <translation>Modellkarte</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>Delete from the cache</source>
        <translation>Aus dem Cache löschen</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>Wählen Sie ein Modell</translation>
    </message>
    <message>
        <source>Its card, its files and its size appear here.</source>
        <translation>Seine Karte, seine Dateien und seine Größe erscheinen hier.</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>Asking the hub…</source>
        <translation>Der Hub wird gefragt …</translation>
    </message>
    <message>
        <source>{number} billion parameters</source>
        <translation>{number} Milliarden Parameter</translation>
    </message>
    <message>
        <source>{size}, files: {files}</source>
        <translation>{size}, Dateien: {files}</translation>
    </message>
    <message>
        <source>license {name}</source>
        <translation>Lizenz {name}</translation>
    </message>
    <message>
        <source>made from {name}</source>
        <translation>gemacht aus {name}</translation>
    </message>
    <message>
        <source>It is gated: agree to its terms on its page, then give a token (Token…).</source>
        <translation>Es ist zugangsbeschränkt: Stimmen Sie auf seiner Seite den Bedingungen zu, und geben Sie dann ein Token an (Token …).</translation>
    </message>
    <message>
        <source>*This model has no card.*</source>
        <translation>*Dieses Modell hat keine Karte.*</translation>
    </message>
    <message>
        <source>Downloaded</source>
        <translation>Heruntergeladen</translation>
    </message>
    <message>
        <source>Downloading…</source>
        <translation>Wird heruntergeladen …</translation>
    </message>
    <message>
        <source>Go on with the download</source>
        <translation>Herunterladen fortsetzen</translation>
    </message>
</context>
<context>
    <name>HubDialog</name>
    <message>
        <source>Models on the hub</source>
        <translation>Modelle auf dem Hub</translation>
    </message>
    <message>
        <source>Only what fits here</source>
        <translation>Nur was hier passt</translation>
    </message>
    <message>
        <source>Name, owner or words</source>
        <translation>Name, Besitzer oder Wörter</translation>
    </message>
    <message>
        <source>Search the hub</source>
        <translation>Den Hub durchsuchen</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Any format</source>
        <translation>Jedes Format</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Reihenfolge</translation>
    </message>
    <message>
        <source>Most downloaded</source>
        <translation>Am meisten geladen</translation>
    </message>
    <message>
        <source>Trending</source>
        <translation>Im Trend</translation>
    </message>
    <message>
        <source>Most liked</source>
        <translation>Am beliebtesten</translation>
    </message>
    <message>
        <source>Newest</source>
        <translation>Neueste</translation>
    </message>
    <message>
        <source>Models found</source>
        <translation>Gefundene Modelle</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>Wird gesucht …</translation>
    </message>
    <message>
        <source>Left out because they do not fit: {count}</source>
        <translation>Weggelassen, weil sie nicht passen: {count}</translation>
    </message>
    <message>
        <source>Nothing that fits</source>
        <translation>Nichts, was passt</translation>
    </message>
    <message>
        <source>Fewer words or another format find more.</source>
        <translation>Weniger Wörter oder ein anderes Format finden mehr.</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Nichts gefunden</translation>
    </message>
    <message>
        <source>The hub could not be searched</source>
        <translation>Der Hub konnte nicht durchsucht werden</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>Token ✓</source>
        <translation>Token ✓</translation>
    </message>
    <message>
        <source>Token…</source>
        <translation>Token …</translation>
    </message>
    <message>
        <source>Delete a model</source>
        <translation>Ein Modell löschen</translation>
    </message>
    <message>
        <source>Delete all files of {model} from this machine?</source>
        <translation>Alle Dateien von {model} auf diesem Rechner löschen?</translation>
    </message>
    <message>
        <source>It can be downloaded again.</source>
        <translation>Es kann wieder heruntergeladen werden.</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
</context>
<context>
    <name>HubTable</name>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Fits here</source>
        <translation>Passt hier</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>Abrufe</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>Weights, 12 % beside them and 1 GiB, against {memory} of this machine. Exact once it is downloaded: then the real shapes are known.</source>
        <translation>Gewichte, 12 % dazu und 1 GiB, gegen {memory} dieses Rechners. Genau, sobald es heruntergeladen ist: Dann sind die wirklichen Formen bekannt.</translation>
    </message>
    <message>
        <source>{model}: its terms have to be agreed to on its page.</source>
        <translation>{model}: Den Bedingungen muss auf seiner Seite zugestimmt werden.</translation>
    </message>
    <message>
        <source>{model}: its owner lets each user in by hand.</source>
        <translation>{model}: Der Besitzer lässt jeden einzeln zu.</translation>
    </message>
</context>
<context>
    <name>HubTokenDialog</name>
    <message>
        <source>Token of the hub</source>
        <translation>Token des Hubs</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Forget the token</source>
        <translation>Token vergessen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Gated and private models need a token that may read them. It is kept in this system&apos;s keyring, and goes only to the hub.</source>
        <translation>Zugangsbeschränkte und private Modelle brauchen ein Token, das sie lesen darf. Es liegt im Schlüsselbund dieses Systems und geht nur an den Hub.</translation>
    </message>
</context>
<context>
    <name>JobHead</name>
    <message>
        <source>Progress of the search</source>
        <translation>Fortschritt der Suche</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>What was in force before is put back; what was measured is kept.</source>
        <translation>Was vorher galt, wird wiederhergestellt; was gemessen wurde, bleibt.</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren …</translation>
    </message>
    <message>
        <source>What was in force before could not be put back. Load the model again.</source>
        <translation>Was vorher galt, konnte nicht wiederhergestellt werden. Laden Sie das Modell neu.</translation>
    </message>
    <message>
        <source>Export the result</source>
        <translation>Ergebnis exportieren</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>beginnt</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>broke off</source>
        <translation>abgerissen</translation>
    </message>
    <message>
        <source>cut short</source>
        <translation>unterbrochen</translation>
    </message>
    <message>
        <source>ending: what was in force before is put back…</source>
        <translation>endet: was vorher galt, wird wiederhergestellt …</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} von {total}</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>noch {time}</translation>
    </message>
</context>
<context>
    <name>JobPage</name>
    <message>
        <source>Earlier ones</source>
        <translation>Frühere</translation>
    </message>
    <message>
        <source>Remove the chosen one from the list</source>
        <translation>Den gewählten Eintrag aus der Liste nehmen</translation>
    </message>
    <message>
        <source>The lab is at work</source>
        <translation>Das Labor arbeitet</translation>
    </message>
    <message>
        <source>Earlier ones…</source>
        <translation>Frühere …</translation>
    </message>
</context>
<context>
    <name>KeepDesk</name>
    <message>
        <source>Keep outgoing models</source>
        <translation>Abgelöste Modelle behalten</translation>
    </message>
    <message>
        <source>Load it again when you need it.</source>
        <translation>Laden Sie es neu, wenn Sie es brauchen.</translation>
    </message>
    <message>
        <source>The switch did not arrive, and the model of before serves again. {reason}</source>
        <translation>Der Wechsel kam nicht an, und das Modell von vorher antwortet wieder. {reason}</translation>
    </message>
</context>
<context>
    <name>KeepFields</name>
    <message>
        <source>Outgoing model</source>
        <translation>Abgelöstes Modell</translation>
    </message>
    <message>
        <source>end it</source>
        <translation>beenden</translation>
    </message>
    <message>
        <source>keep it warm</source>
        <translation>warm halten</translation>
    </message>
    <message>
        <source>if memory allows</source>
        <translation>wenn Speicher da ist</translation>
    </message>
    <message>
        <source>A model that is kept is back in a moment. On a GPU it sleeps with its weights in main memory, on the CPU it stays there as it is.</source>
        <translation>Ein behaltenes Modell ist gleich wieder da. Auf einer GPU schläft es mit seinen Gewichten im Hauptspeicher, auf der CPU bleibt es dort, wie es ist.</translation>
    </message>
    <message>
        <source>Most models that wait</source>
        <translation>Höchstzahl wartender Modelle</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>automatisch</translation>
    </message>
    <message>
        <source>Main memory of models that wait</source>
        <translation>Hauptspeicher wartender Modelle</translation>
    </message>
    <message>
        <source> GiB</source>
        <translation> GiB</translation>
    </message>
    <message>
        <source>Over a limit, the one used least recently is ended.</source>
        <translation>Über einer Grenze wird das am längsten nicht genutzte beendet.</translation>
    </message>
    <message>
        <source>models,</source>
        <translation>Modelle,</translation>
    </message>
    <message>
        <source>of main memory</source>
        <translation>Hauptspeicher</translation>
    </message>
</context>
<context>
    <name>KindField</name>
    <message>
        <source>{name}: the least is more than the most. Exchange them.</source>
        <translation>{name}: Der kleinste Wert ist größer als der größte. Tauschen Sie sie.</translation>
    </message>
</context>
<context>
    <name>LabChart</name>
    <message>
        <source>Copy as a picture</source>
        <translation>Als Bild kopieren</translation>
    </message>
    <message>
        <source>Copy as CSV</source>
        <translation>Als CSV kopieren</translation>
    </message>
</context>
<context>
    <name>LabDesk</name>
    <message>
        <source>Load</source>
        <translation>Last</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>The window was closed.</source>
        <translation>Das Fenster wurde geschlossen.</translation>
    </message>
    <message>
        <source>A load is being sent already.</source>
        <translation>Es wird schon eine Last geschickt.</translation>
    </message>
    <message>
        <source>Stop it first.</source>
        <translation>Halten Sie sie zuerst an.</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>Kein Modell ist geladen.</translation>
    </message>
    <message>
        <source>Load one, then start again.</source>
        <translation>Laden Sie eines und beginnen Sie noch einmal.</translation>
    </message>
    <message>
        <source>Annotation</source>
        <translation>Anmerkung</translation>
    </message>
    <message>
        <source>The engine died while the load was sent. What was measured until then is kept.</source>
        <translation>Die Engine ist während der Last gestorben. Was bis dahin gemessen wurde, bleibt.</translation>
    </message>
    <message>
        <source>The model was unloaded while the load was sent. What was measured is kept.</source>
        <translation>Das Modell wurde während der Last entladen. Was gemessen wurde, bleibt.</translation>
    </message>
</context>
<context>
    <name>LabForm</name>
    <message>
        <source>per second</source>
        <translation>je Sekunde</translation>
    </message>
    <message>
        <source>At once at most</source>
        <translation>Höchstens zugleich</translation>
    </message>
    <message>
        <source>at once at most</source>
        <translation>höchstens zugleich</translation>
    </message>
    <message>
        <source>any</source>
        <translation>frei</translation>
    </message>
    <message>
        <source>Further requests are held back; how long is told as client lag.</source>
        <translation>Weitere Anfragen werden zurückgehalten; wie lange, steht als Client-Verzug da.</translation>
    </message>
    <message>
        <source>Clients</source>
        <translation>Clients</translation>
    </message>
    <message>
        <source>clients</source>
        <translation>Clients</translation>
    </message>
    <message>
        <source>So many requests are under way at any time.</source>
        <translation>So viele Anfragen sind jederzeit unterwegs.</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Rate</translation>
    </message>
    <message>
        <source>Requests in a burst</source>
        <translation>Anfragen je Stoß</translation>
    </message>
    <message>
        <source>requests</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>Time between bursts</source>
        <translation>Zeit zwischen den Stößen</translation>
    </message>
    <message>
        <source>every</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>First rate</source>
        <translation>Anfangsrate</translation>
    </message>
    <message>
        <source>from</source>
        <translation>von</translation>
    </message>
    <message>
        <source>Last rate</source>
        <translation>Endrate</translation>
    </message>
    <message>
        <source>to</source>
        <translation>bis</translation>
    </message>
    <message>
        <source>Length of the ramp</source>
        <translation>Länge der Rampe</translation>
    </message>
    <message>
        <source>within</source>
        <translation>binnen</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>times as fast</source>
        <translation>mal so schnell</translation>
    </message>
    <message>
        <source>Pause of a client</source>
        <translation>Pause eines Clients</translation>
    </message>
    <message>
        <source>pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Each client waits so long between an answer and its next request.</source>
        <translation>So lange wartet jeder Client zwischen einer Antwort und seiner nächsten Anfrage.</translation>
    </message>
    <message>
        <source>Burstiness</source>
        <translation>Stoßhaftigkeit</translation>
    </message>
    <message>
        <source>burstiness</source>
        <translation>Stoßhaftigkeit</translation>
    </message>
    <message>
        <source>1 is a Poisson process; less is burstier, more is steadier.</source>
        <translation>1 ist ein Poisson-Prozess; weniger ist stoßhafter, mehr gleichmäßiger.</translation>
    </message>
    <message>
        <source>Clients, each waits for its answer</source>
        <translation>Clients, jeder wartet auf Antwort</translation>
    </message>
    <message>
        <source>By themselves, at random (Poisson)</source>
        <translation>von selbst, zufällig (Poisson)</translation>
    </message>
    <message>
        <source>In bursts</source>
        <translation>in Stößen</translation>
    </message>
    <message>
        <source>More and more (ramp)</source>
        <translation>immer mehr (Rampe)</translation>
    </message>
    <message>
        <source>As in the recorded log</source>
        <translation>wie im Protokoll</translation>
    </message>
    <message>
        <source>Arrival</source>
        <translation>Ankunft</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>deviation</source>
        <translation>Abweichung</translation>
    </message>
    <message>
        <source>median</source>
        <translation>Median</translation>
    </message>
    <message>
        <source>Spread of the logarithm: 0.6 makes one in six twice the median or more.</source>
        <translation>Streuung des Logarithmus: Bei 0,6 ist jeder achte doppelt so lang wie der Median oder länger.</translation>
    </message>
    <message>
        <source>least</source>
        <translation>kleinster</translation>
    </message>
    <message>
        <source>most</source>
        <translation>größter</translation>
    </message>
    <message>
        <source>always the same</source>
        <translation>immer gleich</translation>
    </message>
    <message>
        <source>any from – to</source>
        <translation>beliebig von – bis</translation>
    </message>
    <message>
        <source>around a mean (normal)</source>
        <translation>um ein Mittel (normal)</translation>
    </message>
    <message>
        <source>mostly short (log-normal)</source>
        <translation>meist kurz (log-normal)</translation>
    </message>
    <message>
        <source>as the data say</source>
        <translation>wie die Daten sagen</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Tokens</translation>
    </message>
</context>
<context>
    <name>LabPanel</name>
    <message>
        <source>This window replays a recording. Start KVDeck without one to send a load.</source>
        <translation>Dieses Fenster spielt eine Aufzeichnung ab. Starten Sie KVDeck ohne eine, um eine Last zu schicken.</translation>
    </message>
    <message>
        <source>Page of the lab</source>
        <translation>Seite des Labors</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Last</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Tune</source>
        <translation>Abstimmen</translation>
    </message>
    <message>
        <source>Formats</source>
        <translation>Formate</translation>
    </message>
    <message>
        <source>Start the load</source>
        <translation>Last starten</translation>
    </message>
    <message>
        <source>Pause the load, or go on</source>
        <translation>Last anhalten oder fortsetzen</translation>
    </message>
    <message>
        <source>Stop the load</source>
        <translation>Last beenden</translation>
    </message>
    <message>
        <source>Go to the slowest request</source>
        <translation>Zur langsamsten Anfrage gehen</translation>
    </message>
</context>
<context>
    <name>LabPresets</name>
    <message>
        <source>50 clients, one long prompt</source>
        <translation>50 Clients, ein langer Prompt</translation>
    </message>
    <message>
        <source>The classic: everybody asks at once, and all share a long beginning. Shows prefix reuse, batching and the queue.</source>
        <translation>Der Klassiker: Alle fragen zugleich und teilen sich einen langen Anfang. Zeigt Präfix-Wiederverwendung, Batching und die Warteschlange.</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>Chat</translation>
    </message>
    <message>
        <source>People come by themselves and ask three times each; short questions, answers of very different lengths.</source>
        <translation>Leute kommen von selbst und fragen je dreimal; kurze Fragen, sehr verschieden lange Antworten.</translation>
    </message>
    <message>
        <source>Summarization</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <source>Long prompts, short answers: prefill and its chunks decide.</source>
        <translation>Lange Prompts, kurze Antworten: Prefill und seine Stücke entscheiden.</translation>
    </message>
    <message>
        <source>Code completion</source>
        <translation>Code-Vervollständigung</translation>
    </message>
    <message>
        <source>Many small answers that have to come at once: TTFT decides.</source>
        <translation>Viele kleine Antworten, die sofort kommen müssen: TTFT entscheidet.</translation>
    </message>
    <message>
        <source>Bursts</source>
        <translation>Stöße</translation>
    </message>
    <message>
        <source>Sixteen requests in one moment, again and again: the queue decides.</source>
        <translation>Sechzehn Anfragen in einem Augenblick, immer wieder: Die Warteschlange entscheidet.</translation>
    </message>
    <message>
        <source>Ramp</source>
        <translation>Rampe</translation>
    </message>
    <message>
        <source>More and more a second, until latency tells where this engine is full.</source>
        <translation>Immer mehr je Sekunde, bis die Latenz zeigt, wo diese Engine voll ist.</translation>
    </message>
    <message>
        <source>My JSONL file</source>
        <translation>Meine JSONL-Datei</translation>
    </message>
    <message>
        <source>Your own prompts: one JSON object a line with “prompt” or “messages”.</source>
        <translation>Ihre eigenen Prompts: ein JSON-Objekt je Zeile mit „prompt“ oder „messages“.</translation>
    </message>
    <message>
        <source>ShareGPT file</source>
        <translation>ShareGPT-Datei</translation>
    </message>
    <message>
        <source>Real conversations from a file in ShareGPT&apos;s format, with the answers&apos; lengths.</source>
        <translation>Echte Gespräche aus einer Datei im ShareGPT-Format, mit den Längen der Antworten.</translation>
    </message>
    <message>
        <source>Recorded log</source>
        <translation>Aufgezeichnetes Protokoll</translation>
    </message>
    <message>
        <source>What once happened, at the times at which it happened: a request log or a KVDeck recording.</source>
        <translation>Was einmal geschah, zu den Zeiten, zu denen es geschah: ein Anfragenprotokoll oder eine KVDeck-Aufzeichnung.</translation>
    </message>
</context>
<context>
    <name>LabRun</name>
    <message>
        <source>under way</source>
        <translation>unterwegs</translation>
    </message>
    <message>
        <source>Requests that were sent and have not ended.</source>
        <translation>Anfragen, die geschickt wurden und nicht zu Ende sind.</translation>
    </message>
    <message>
        <source>successful</source>
        <translation>erfolgreich</translation>
    </message>
    <message>
        <source>incomplete</source>
        <translation>unvollständig</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
</context>
<context>
    <name>LabSearch</name>
    <message>
        <source>Search</source>
        <translation>Suche</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>List the searches</source>
        <translation>Suchen auflisten</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>Anwenden</translation>
    </message>
    <message>
        <source>Roll back</source>
        <translation>Zurückrollen</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>The lab is at work already.</source>
        <translation>Das Labor arbeitet schon.</translation>
    </message>
    <message>
        <source>Stop that first.</source>
        <translation>Beenden Sie das zuerst.</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>Kein Modell ist geladen.</translation>
    </message>
    <message>
        <source>Load one, then start again.</source>
        <translation>Laden Sie eines und beginnen Sie noch einmal.</translation>
    </message>
    <message>
        <source>There is no result yet.</source>
        <translation>Es gibt noch kein Ergebnis.</translation>
    </message>
    <message>
        <source>Wait until it has ended.</source>
        <translation>Warten Sie, bis es zu Ende ist.</translation>
    </message>
    <message>
        <source>{file} could not be written: {reason}.</source>
        <translation>{file} konnte nicht geschrieben werden: {reason}.</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation>Wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
        <source>Written: {file}</source>
        <translation>Geschrieben: {file}</translation>
    </message>
    <message>
        <source>There is no engine here.</source>
        <translation>Hier gibt es keine Engine.</translation>
    </message>
    <message>
        <source>Start KVDeck without a recording.</source>
        <translation>Starten Sie KVDeck ohne Aufzeichnung.</translation>
    </message>
</context>
<context>
    <name>LabSentences</name>
    <message>
        <source>The setting in force: what the others are compared with.</source>
        <translation>Die wirksame Einstellung: Mit ihr werden die anderen verglichen.</translation>
    </message>
    <message>
        <source>The largest batch, as a beginning.</source>
        <translation>Der größte Stapel, als Anfang.</translation>
    </message>
    <message>
        <source>The middle of the grid, to see which way the figure goes.</source>
        <translation>Die Mitte des Gitters, um zu sehen, wohin die Zahl sich neigt.</translation>
    </message>
    <message>
        <source>Expected {expected} ± {deviation}: the largest expected gain for the time it takes.</source>
        <translation>Erwartet {expected} ± {deviation}: der größte erwartete Gewinn für die Zeit, die es braucht.</translation>
    </message>
    <message>
        <source>Expected {expected} ± {deviation}: the largest expected gain for the time it takes, a reload of about {seconds} counted in.</source>
        <translation>Erwartet {expected} ± {deviation}: der größte erwartete Gewinn für die Zeit, die es braucht, ein Neuladen von etwa {seconds} eingerechnet.</translation>
    </message>
    <message>
        <source>Expected {expected} ± {deviation}: measured again on other requests, to tell it from its rivals.</source>
        <translation>Erwartet {expected} ± {deviation}: noch einmal mit anderen Anfragen gemessen, um es von seinen Rivalen zu unterscheiden.</translation>
    </message>
    <message>
        <source>Every point is measured.</source>
        <translation>Jeder Punkt wird gemessen.</translation>
    </message>
    <message>
        <source>{score}.</source>
        <translation>{score}.</translation>
    </message>
    <message>
        <source>{score}, {change} against the best before it (trial {number}).</source>
        <translation>{score}, {change} gegen den bis dahin besten (Versuch {number}).</translation>
    </message>
    <message>
        <source>{score} on average of {runs} runs ({each}).</source>
        <translation>{score} im Mittel von {runs} Läufen ({each}).</translation>
    </message>
    <message>
        <source>{score} on average of {runs} runs ({each}), {change} against the best before it (trial {number}).</source>
        <translation>{score} im Mittel von {runs} Läufen ({each}), {change} gegen den bis dahin besten (Versuch {number}).</translation>
    </message>
    <message>
        <source>Ended early after {seconds}: even if all requests left in the running ({left}) had been good, {most} was the most it could come to.</source>
        <translation>Nach {seconds} vorzeitig beendet: Selbst wenn alle noch möglichen Anfragen ({left}) gut gewesen wären, wären höchstens {most} herausgekommen.</translation>
    </message>
    <message>
        <source>Ended early after {seconds}, half the best run&apos;s time: {most} so far, with all that was under way counted in.</source>
        <translation>Nach {seconds}, der halben Zeit des besten Laufs, vorzeitig beendet: bis dahin {most}, alles Begonnene mitgezählt.</translation>
    </message>
    <message>
        <source>No request succeeded.</source>
        <translation>Keine Anfrage war erfolgreich.</translation>
    </message>
    <message>
        <source>The run has no figures.</source>
        <translation>Der Lauf hat keine Zahlen.</translation>
    </message>
    <message>
        <source>{message}</source>
        <translation>{message}</translation>
    </message>
    <message>
        <source>{done} of {points} points were measured in {seconds}; reloads: {reloads}.</source>
        <translation>{done} von {points} Punkten wurden in {seconds} gemessen; Neuladen: {reloads}.</translation>
    </message>
    <message>
        <source>{done} of {points} points were tried in {runs} runs of {share} of the load each, {seconds} together; reloads: {reloads}; ended early, because they could no longer win: {pruned}.</source>
        <translation>{done} von {points} Punkten wurden in {runs} Läufen mit je {share} der Last versucht, zusammen {seconds}; Neuladen: {reloads}; vorzeitig beendet, weil sie nicht mehr gewinnen konnten: {pruned}.</translation>
    </message>
    <message>
        <source>Points left out, because they contradict themselves or would need a reload: {count}.</source>
        <translation>Weggelassene Punkte, weil sie sich widersprechen oder ein Neuladen bräuchten: {count}.</translation>
    </message>
    <message>
        <source>It was cancelled before the rest.</source>
        <translation>Es wurde vor dem Rest abgebrochen.</translation>
    </message>
    <message>
        <source>It ended because as many runs as were asked for are done.</source>
        <translation>Es endete, weil so viele Läufe gemacht sind, wie verlangt waren.</translation>
    </message>
    <message>
        <source>It ended because the time was up ({seconds}).</source>
        <translation>Es endete, weil die Zeit um war ({seconds}).</translation>
    </message>
    <message>
        <source>It ended because no other point is likely to be better than the best by {share}.</source>
        <translation>Es endete, weil wohl kein anderer Punkt um {share} besser ist als der beste.</translation>
    </message>
    <message>
        <source>Trial {number} ({setting}) did not work: {message}</source>
        <translation>Versuch {number} ({setting}) ging nicht: {message}</translation>
    </message>
    <message>
        <source>Nothing could be measured.</source>
        <translation>Nichts ließ sich messen.</translation>
    </message>
    <message>
        <source>Best is trial {number}: {setting}, with {score}.</source>
        <translation>Am besten ist Versuch {number}: {setting}, mit {score}.</translation>
    </message>
    <message>
        <source>Best is trial {number}: {setting}, with {score}, the mean of {runs} runs.</source>
        <translation>Am besten ist Versuch {number}: {setting}, mit {score} im Mittel von {runs} Läufen.</translation>
    </message>
    <message>
        <source>That is the setting that was in force already.</source>
        <translation>Das ist die Einstellung, die schon wirksam war.</translation>
    </message>
    <message>
        <source>That is {change} against the setting in force ({score}).</source>
        <translation>Das sind {change} gegen die wirksame Einstellung ({score}).</translation>
    </message>
    <message>
        <source>The runner-up is trial {number} ({setting}), with {score}.</source>
        <translation>Der zweitbeste ist Versuch {number} ({setting}), mit {score}.</translation>
    </message>
    <message>
        <source>Trial {number} ({setting}) had {score} (runs: {runs}): by what the others show, that was luck.</source>
        <translation>Versuch {number} ({setting}) hatte {score} (Läufe: {runs}): Nach dem, was die anderen zeigen, war das Glück.</translation>
    </message>
    <message>
        <source>Other trials within {share} of the best: {count}. Between those, choose by latency.</source>
        <translation>Andere Versuche mit höchstens {share} Abstand zum besten: {count}. Zwischen ihnen entscheidet die Latenz.</translation>
    </message>
    <message>
        <source>No setting kept the targets for a single request.</source>
        <translation>Keine Einstellung hielt die Ziele auch nur für eine Anfrage ein.</translation>
    </message>
    <message>
        <source>The fastest first token, trial {number} ({setting}), took {ttft} in the median.</source>
        <translation>Das schnellste erste Token, Versuch {number} ({setting}), brauchte im Median {ttft}.</translation>
    </message>
    <message>
        <source>The fastest first token, trial {number} ({setting}), took {ttft} in the median, each further one {tpot}.</source>
        <translation>Das schnellste erste Token, Versuch {number} ({setting}), brauchte im Median {ttft}, jedes weitere {tpot}.</translation>
    </message>
    <message>
        <source>{label} could not be measured: {message}</source>
        <translation>{label} ließ sich nicht messen: {message}</translation>
    </message>
    <message>
        <source>{label} against {reference}: {ratios}.</source>
        <translation>{label} gegen {reference}: {ratios}.</translation>
    </message>
    <message>
        <source>{label} against {reference}: nothing to compare.</source>
        <translation>{label} gegen {reference}: nichts zu vergleichen.</translation>
    </message>
    <message>
        <source>Run {number} of up to {most}: {setting}</source>
        <translation>Lauf {number} von höchstens {most}: {setting}</translation>
    </message>
    <message>
        <source>Run {number} of up to {most}, once more: {setting}</source>
        <translation>Lauf {number} von höchstens {most}, noch einmal: {setting}</translation>
    </message>
    <message>
        <source>{number} of {total}: {setting}</source>
        <translation>{number} von {total}: {setting}</translation>
    </message>
    <message>
        <source>Pair {number} of {total}, {side}: {setting}</source>
        <translation>Paar {number} von {total}, {side}: {setting}</translation>
    </message>
    <message>
        <source>Loading again for {names}</source>
        <translation>Wird neu geladen für {names}</translation>
    </message>
    <message>
        <source>Putting back what was in force before</source>
        <translation>Was vorher wirksam war, wird zurückgestellt</translation>
    </message>
    <message>
        <source>Loading {label}</source>
        <translation>{label} wird geladen</translation>
    </message>
    <message>
        <source>{label}: one client</source>
        <translation>{label}: ein Client</translation>
    </message>
    <message>
        <source>{label}: many clients</source>
        <translation>{label}: viele Clients</translation>
    </message>
    <message>
        <source>{label}: how well it predicts a text</source>
        <translation>{label}: wie gut es einen Text vorhersagt</translation>
    </message>
    <message>
        <source>Ending the engine, so that transformers has the machine to itself</source>
        <translation>Die Engine wird beendet, damit transformers den Rechner für sich hat</translation>
    </message>
    <message>
        <source>transformers loads {label}</source>
        <translation>transformers lädt {label}</translation>
    </message>
    <message>
        <source>{ratio} × the size on disk</source>
        <translation>{ratio} × der Platz auf der Platte</translation>
    </message>
    <message>
        <source>{ratio} × the tokens/s alone</source>
        <translation>{ratio} × die Tokens/s allein</translation>
    </message>
    <message>
        <source>{ratio} × the tokens/s at load</source>
        <translation>{ratio} × die Tokens/s unter Last</translation>
    </message>
    <message>
        <source>{ratio} × the perplexity</source>
        <translation>{ratio} × die Perplexität</translation>
    </message>
    <message>
        <source>{name}: A {a}, B {b}; too few pairs have a value to say how sure that is.</source>
        <translation>{name}: A {a}, B {b}; zu wenige Paare haben einen Wert, um zu sagen, wie sicher das ist.</translation>
    </message>
    <message>
        <source>{name}: B has {change} against A ({confidence} interval {low} to {high}): A {a}, B {b}.</source>
        <translation>{name}: B hat {change} gegen A ({confidence}-Intervall {low} bis {high}): A {a}, B {b}.</translation>
    </message>
    <message>
        <source>{name}: no difference is shown. B is at {change} against A ({confidence} interval {low} to {high}).</source>
        <translation>{name}: Kein Unterschied ist nachgewiesen. B liegt bei {change} gegen A ({confidence}-Intervall {low} bis {high}).</translation>
    </message>
    <message>
        <source>more</source>
        <translation>mehr</translation>
    </message>
</context>
<context>
    <name>LabShelf</name>
    <message>
        <source>List the runs</source>
        <translation>Läufe auflisten</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notizen</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Baseline</source>
        <translation>Vergleichsmaß</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Open the run</source>
        <translation>Lauf öffnen</translation>
    </message>
    <message>
        <source>{file} could not be written: {reason}.</source>
        <translation>{file} konnte nicht geschrieben werden: {reason}.</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation>Wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
        <source>Written: {file}</source>
        <translation>Geschrieben: {file}</translation>
    </message>
</context>
<context>
    <name>LabWords</name>
    <message>
        <source>starting</source>
        <translation>beginnt</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>not ended</source>
        <translation>ohne Ende</translation>
    </message>
    <message>
        <source>making the prompts</source>
        <translation>Prompts werden gemacht</translation>
    </message>
    <message>
        <source>warming up</source>
        <translation>wird warm</translation>
    </message>
    <message>
        <source>sending</source>
        <translation>schickt</translation>
    </message>
    <message>
        <source>paused: nothing new is sent</source>
        <translation>angehalten: nichts Neues wird geschickt</translation>
    </message>
    <message>
        <source>waiting for the last answers</source>
        <translation>wartet auf die letzten Antworten</translation>
    </message>
    <message>
        <source>tok</source>
        <translation>Tok</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>Output tokens</source>
        <translation>Ausgabe-Tokens</translation>
    </message>
    <message>
        <source>Input tokens</source>
        <translation>Eingabe-Tokens</translation>
    </message>
    <message>
        <source>Goodput</source>
        <translation>Goodput</translation>
    </message>
    <message>
        <source>Good answers</source>
        <translation>Gute Antworten</translation>
    </message>
    <message>
        <source>TPOT, first counted</source>
        <translation>TPOT mit erstem</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>Client lag</source>
        <translation>Client-Verzug</translation>
    </message>
    <message>
        <source>Prefix hit rate</source>
        <translation>Präfix-Trefferquote</translation>
    </message>
    <message>
        <source>Cached prompt share</source>
        <translation>Prompt-Anteil aus dem Cache</translation>
    </message>
    <message>
        <source>Preemptions</source>
        <translation>Verdrängungen</translation>
    </message>
    <message>
        <source>Successful</source>
        <translation>Erfolgreich</translation>
    </message>
    <message>
        <source>Incomplete</source>
        <translation>Unvollständig</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Most at once</source>
        <translation>Höchstens zugleich</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>Successful requests over the run&apos;s duration.</source>
        <translation>Erfolgreiche Anfragen durch die Dauer des Laufs.</translation>
    </message>
    <message>
        <source>Tokens of the successful requests&apos; answers over the run&apos;s duration.</source>
        <translation>Tokens der Antworten erfolgreicher Anfragen durch die Dauer des Laufs.</translation>
    </message>
    <message>
        <source>Prompt tokens of the successful requests, cached ones included, over the run&apos;s duration.</source>
        <translation>Prompt-Tokens der erfolgreichen Anfragen, auch die aus dem Cache, durch die Dauer des Laufs.</translation>
    </message>
    <message>
        <source>Successful requests a second that kept every SLO.</source>
        <translation>Erfolgreiche Anfragen je Sekunde, die jedes SLO einhielten.</translation>
    </message>
    <message>
        <source>Share of the successful and the failed requests that succeeded and kept every SLO.</source>
        <translation>Anteil der erfolgreichen und fehlgeschlagenen Anfragen, die gelangen und jedes SLO einhielten.</translation>
    </message>
    <message>
        <source>Time to first token: from sending the request to its first token, with queueing and prefill in it.</source>
        <translation>Zeit bis zum ersten Token: vom Abschicken der Anfrage bis zu ihrem ersten Token, mit Warteschlange und Prefill.</translation>
    </message>
    <message>
        <source>Time per output token with the first left out, a value for each request: (last token − first token) / (tokens − 1). This is vLLM&apos;s definition; GuideLLM counts the first token in.</source>
        <translation>Zeit je Ausgabe-Token ohne das erste, ein Wert je Anfrage: (letztes Token − erstes Token) / (Tokens − 1). So definiert es vLLM; GuideLLM zählt das erste mit.</translation>
    </message>
    <message>
        <source>E2E / tokens, a value for each request: GuideLLM&apos;s time per output token, with queueing and prefill in it.</source>
        <translation>E2E / Tokens, ein Wert je Anfrage: GuideLLMs Zeit je Ausgabe-Token, mit Warteschlange und Prefill.</translation>
    </message>
    <message>
        <source>Inter-token latency: the time from one piece of an answer to the next, all gaps of all requests together. Its mean weighs long answers more than TPOT&apos;s does.</source>
        <translation>Latenz zwischen Tokens: die Zeit von einem Stück einer Antwort zum nächsten, alle Lücken aller Anfragen zusammen. Ihr Mittel gewichtet lange Antworten stärker als das von TPOT.</translation>
    </message>
    <message>
        <source>End to end: from sending the request to its last token.</source>
        <translation>Von Anfang bis Ende: vom Abschicken der Anfrage bis zu ihrem letzten Token.</translation>
    </message>
    <message>
        <source>From the engine&apos;s receipt of the request to its first scheduling, by the engine&apos;s own clock.</source>
        <translation>Vom Eingang der Anfrage in der Engine bis zu ihrer ersten Einplanung, nach der Uhr der Engine.</translation>
    </message>
    <message>
        <source>From the first scheduling to the first token, by the engine&apos;s own clock.</source>
        <translation>Von der ersten Einplanung bis zum ersten Token, nach der Uhr der Engine.</translation>
    </message>
    <message>
        <source>From the first token to the last, by the engine&apos;s own clock; time lost to preemptions is in it.</source>
        <translation>Vom ersten bis zum letzten Token, nach der Uhr der Engine; durch Verdrängungen verlorene Zeit ist enthalten.</translation>
    </message>
    <message>
        <source>How much later than its schedule asked a request was sent: a large one means that the client or its limit of requests at once was in the way, and not the engine.</source>
        <translation>Wie viel später als geplant eine Anfrage geschickt wurde: Ein großer Wert heißt, dass der Client oder seine Grenze im Weg war und nicht die Engine.</translation>
    </message>
    <message>
        <source>Share of the prompt tokens looked up in the prefix cache that were found, by the engine&apos;s counters.</source>
        <translation>Anteil der im Präfix-Cache gesuchten Prompt-Tokens, die gefunden wurden, nach den Zählern der Engine.</translation>
    </message>
    <message>
        <source>Share of the successful requests&apos; prompt tokens that the server reports as cached.</source>
        <translation>Anteil der Prompt-Tokens erfolgreicher Anfragen, die der Server als aus dem Cache meldet.</translation>
    </message>
    <message>
        <source>How often the engine took a running request&apos;s blocks away during the run.</source>
        <translation>Wie oft die Engine während des Laufs einer laufenden Anfrage die Blöcke nahm.</translation>
    </message>
    <message>
        <source>Requests whose answer ended in good order. Latencies and rates are over these alone.</source>
        <translation>Anfragen, deren Antwort ordentlich endete. Latenzen und Raten gelten nur für sie.</translation>
    </message>
    <message>
        <source>Requests that we cut: the run was stopped, or its time was over.</source>
        <translation>Anfragen, die wir abgeschnitten haben: Der Lauf wurde angehalten, oder seine Zeit war um.</translation>
    </message>
    <message>
        <source>Requests that were refused, cut by the server, or took too long.</source>
        <translation>Anfragen, die abgelehnt oder vom Server abgeschnitten wurden oder zu lange dauerten.</translation>
    </message>
    <message>
        <source>The most requests under way at one moment.</source>
        <translation>Die meisten Anfragen, die zugleich unterwegs waren.</translation>
    </message>
    <message>
        <source>From the first request to the last answer, pauses left out.</source>
        <translation>Von der ersten Anfrage bis zur letzten Antwort, ohne Pausen.</translation>
    </message>
    <message>
        <source>this window</source>
        <translation>diesem Fenster</translation>
    </message>
    <message>
        <source>a program that did not say</source>
        <translation>einem Programm, das sich nicht nannte</translation>
    </message>
    <message>
        <source>the tuner</source>
        <translation>dem Tuner</translation>
    </message>
    <message>
        <source>by {who}</source>
        <translation>von {who}</translation>
    </message>
    <message>
        <source>requests sent back to the queue for it: {0}</source>
        <translation>dafür in die Warteschlange zurückgestellte Anfragen: {0}</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>Auf der Platte</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>KV capacity</source>
        <translation>KV-Kapazität</translation>
    </message>
    <message>
        <source>Load time</source>
        <translation>Ladezeit</translation>
    </message>
    <message>
        <source>Alone</source>
        <translation>Allein</translation>
    </message>
    <message>
        <source>TTFT alone</source>
        <translation>TTFT allein</translation>
    </message>
    <message>
        <source>At load</source>
        <translation>Unter Last</translation>
    </message>
    <message>
        <source>TTFT p95 at load</source>
        <translation>TTFT p95 unter Last</translation>
    </message>
    <message>
        <source>Perplexity</source>
        <translation>Perplexität</translation>
    </message>
    <message>
        <source>Size of the weight files.</source>
        <translation>Größe der Gewichtsdateien.</translation>
    </message>
    <message>
        <source>What the weights take once loaded, as the engine reports it.</source>
        <translation>Was die Gewichte geladen einnehmen, wie die Engine es meldet.</translation>
    </message>
    <message>
        <source>Memory of all its processes after the load, the KV cache in it.</source>
        <translation>Speicher aller seiner Prozesse nach dem Laden, mit dem KV-Cache.</translation>
    </message>
    <message>
        <source>GPU memory of all its processes, the KV cache in it.</source>
        <translation>GPU-Speicher aller seiner Prozesse, mit dem KV-Cache.</translation>
    </message>
    <message>
        <source>Tokens that the KV cache holds.</source>
        <translation>Tokens, die der KV-Cache fasst.</translation>
    </message>
    <message>
        <source>From the load to the first token.</source>
        <translation>Vom Laden bis zum ersten Token.</translation>
    </message>
    <message>
        <source>Output tokens a second of one client that sends one request at a time.</source>
        <translation>Ausgabe-Tokens je Sekunde eines Clients, der eine Anfrage nach der anderen schickt.</translation>
    </message>
    <message>
        <source>Median time to first token of one client.</source>
        <translation>Mittlere Zeit (Median) bis zum ersten Token bei einem Client.</translation>
    </message>
    <message>
        <source>Output tokens a second of many clients together. transformers answers them one by one.</source>
        <translation>Ausgabe-Tokens je Sekunde vieler Clients zusammen. transformers beantwortet sie nacheinander.</translation>
    </message>
    <message>
        <source>95th percentile of the time to first token of many clients.</source>
        <translation>95. Perzentil der Zeit bis zum ersten Token bei vielen Clients.</translation>
    </message>
    <message>
        <source>exp of the mean negative log-probability of a text&apos;s tokens: lower predicts the text better.</source>
        <translation>exp der mittleren negativen Log-Wahrscheinlichkeit der Tokens eines Textes: Weniger sagt den Text besser voraus.</translation>
    </message>
</context>
<context>
    <name>LessonPage</name>
    <message>
        <source>Lessons</source>
        <translation>Lektionen</translation>
    </message>
    <message>
        <source>Stopped. Its requests were ended, and nothing it changed is left.</source>
        <translation>Angehalten. Die Anfragen sind beendet, und alles Geänderte ist zurückgestellt.</translation>
    </message>
    <message>
        <source>Begin</source>
        <translation>Beginnen</translation>
    </message>
    <message>
        <source>Again</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Where to look</source>
        <translation>Wohin schauen</translation>
    </message>
</context>
<context>
    <name>Lessons</name>
    <message>
        <source>Continuous batching</source>
        <translation>Fortlaufendes Batching</translation>
    </message>
    <message>
        <source>Every step computes one token for each running request; who is done leaves, and who waits enters, at the very next step. The weights are read once for all of them.</source>
        <translation>Jeder Schritt berechnet ein Token für jede laufende Anfrage; wer fertig ist, geht, und wer wartet, kommt schon beim nächsten Schritt dazu. Die Gewichte werden einmal für alle gelesen.</translation>
    </message>
    <message>
        <source>Sends four requests with max_num_seqs at 1, then the same four together, and puts the limit back.</source>
        <translation>Sendet vier Anfragen mit max_num_seqs auf 1, dann dieselben vier zusammen, und stellt die Grenze zurück.</translation>
    </message>
    <message>
        <source>max_num_seqs is 1: this engine runs one request at a time.</source>
        <translation>max_num_seqs ist 1: Diese Engine bearbeitet eine Anfrage nach der anderen.</translation>
    </message>
    <message>
        <source>Raise it in Parameters, then begin the lesson again.</source>
        <translation>Erhöhen Sie es unter Parameter und beginnen Sie die Lektion noch einmal.</translation>
    </message>
    <message>
        <source>Other requests are in the engine ({0}), and the lesson would hold them up.</source>
        <translation>Andere Anfragen in der Engine: {0}. Die Lektion würde sie aufhalten.</translation>
    </message>
    <message>
        <source>Begin it when they are done.</source>
        <translation>Beginnen Sie, wenn sie fertig sind.</translation>
    </message>
    <message>
        <source>max_num_seqs is 1 for a moment: {0} requests run one after the other.</source>
        <translation>max_num_seqs ist für einen Moment 1: {0} Anfragen laufen nacheinander.</translation>
    </message>
    <message>
        <source>The limit is {0} again: the same {1} requests run together.</source>
        <translation>Die Grenze ist wieder {0}: Dieselben {1} Anfragen laufen zusammen.</translation>
    </message>
    <message>
        <source>One after the other: {0} steps, {1}</source>
        <translation>Nacheinander: {0} Schritte, {1}</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Together: {0} steps, {1}</source>
        <translation>Zusammen: {0} Schritte, {1}</translation>
    </message>
    <message>
        <source>Mean wait for the first token</source>
        <translation>Mittlere Wartezeit auf das erste Token</translation>
    </message>
    <message>
        <source>max_num_seqs now</source>
        <translation>max_num_seqs jetzt</translation>
    </message>
    <message>
        <source>The same {0} tokens took {1} steps instead of {2}, and {3} times as many came a second.</source>
        <translation>Dieselben {0} Token brauchten {1} Schritte statt {2}, und je Sekunde kamen {3}-mal so viele.</translation>
    </message>
    <message>
        <source>Paging</source>
        <translation>Paging</translation>
    </message>
    <message>
        <source>The KV cache is cut into blocks of equal size. A request takes the next one only when its last is full, wherever one is free, and a table says where its tokens are.</source>
        <translation>Der KV-Cache ist in gleich große Blöcke geteilt. Eine Anfrage nimmt den nächsten erst, wenn ihr letzter voll ist, wo immer einer frei ist, und eine Tabelle sagt, wo ihre Token sind.</translation>
    </message>
    <message>
        <source>Sends one request and follows its block table until it has grown by a block.</source>
        <translation>Sendet eine Anfrage und verfolgt ihre Blocktabelle, bis sie um einen Block gewachsen ist.</translation>
    </message>
    <message>
        <source>One request runs. Its blocks are framed in the map; a block here holds {0} tokens.</source>
        <translation>Eine Anfrage läuft. Ihre Blöcke sind in der Karte umrahmt; ein Block fasst hier {0} Token.</translation>
    </message>
    <message>
        <source>The request was over before a picture of its blocks came.</source>
        <translation>Die Anfrage war vorbei, bevor ein Bild ihrer Blöcke kam.</translation>
    </message>
    <message>
        <source>Raise the frame rate in the settings, or take a larger model.</source>
        <translation>Erhöhen Sie die Bildrate in den Einstellungen oder nehmen Sie ein größeres Modell.</translation>
    </message>
    <message>
        <source>Blocks at its beginning and at its end</source>
        <translation>Blöcke am Anfang und am Ende</translation>
    </message>
    <message>
        <source>Where they are in the pool of {0}</source>
        <translation>Wo sie im Vorrat von {0} liegen</translation>
    </message>
    <message>
        <source>Slots held for {0} tokens</source>
        <translation>Belegte Plätze für {0} Token</translation>
    </message>
    <message>
        <source>Slots that a reservation to max_model_len would hold</source>
        <translation>Plätze, die eine Reservierung bis max_model_len hielte</translation>
    </message>
    <message>
        <source>{0} tokens held {1} slots, so {2} were empty. Reserved to max_model_len as one piece, {3} of {4} would have been empty, and nobody else could have used them.</source>
        <translation>{0} Token hielten {1} Plätze, {2} davon waren leer. In einem Stück bis max_model_len reserviert, wären {3} von {4} leer gewesen, und niemand sonst hätte sie nutzen können.</translation>
    </message>
    <message>
        <source>Two phases</source>
        <translation>Zwei Phasen</translation>
    </message>
    <message>
        <source>A prompt is read all at once: that is prefill, and arithmetic limits it. The answer comes a token a step: that is decode, and each step reads all weights from memory for it.</source>
        <translation>Ein Prompt wird auf einmal gelesen: Das ist Prefill, und die Rechenleistung begrenzt es. Die Antwort kommt Token für Token: Das ist Decode, und jeder Schritt liest dafür alle Gewichte aus dem Speicher.</translation>
    </message>
    <message>
        <source>Sends one long prompt and lets the model answer with 48 tokens.</source>
        <translation>Sendet einen langen Prompt und lässt das Modell mit 48 Token antworten.</translation>
    </message>
    <message>
        <source>Sending a prompt of about {0} tokens. Watch its lane: one long bar, then many short steps.</source>
        <translation>Ein Prompt von etwa {0} Token wird gesendet. Sehen Sie auf seine Spur: ein langer Balken, dann viele kurze Schritte.</translation>
    </message>
    <message>
        <source>Prefill: {0} tokens, steps: {1}, {2}</source>
        <translation>Prefill: {0} Token, Schritte: {1}, {2}</translation>
    </message>
    <message>
        <source>Decode: {0} tokens, steps: {1}, {2}</source>
        <translation>Decode: {0} Token, Schritte: {1}, {2}</translation>
    </message>
    <message>
        <source>A token of the prompt against one of the answer</source>
        <translation>Ein Token des Prompts gegen eines der Antwort</translation>
    </message>
    <message>
        <source>A token of the prompt took {0}, one of the answer {1}: read together, all tokens of a step use the weights that are read for one.</source>
        <translation>Ein Token des Prompts brauchte {0}, eines der Antwort {1}: Zusammen gelesen, nutzen alle Token eines Schritts die Gewichte, die für eines gelesen werden.</translation>
    </message>
    <message>
        <source>Sharing</source>
        <translation>Teilen</translation>
    </message>
    <message>
        <source>Prompts that begin alike have the same keys and values there. The prefix cache keeps such blocks, and any request with the same beginning points its table at them.</source>
        <translation>Prompts, die gleich beginnen, haben dort dieselben Keys und Values. Der Präfix-Cache behält solche Blöcke, und jede Anfrage mit demselben Anfang verweist in ihrer Tabelle auf sie.</translation>
    </message>
    <message>
        <source>Sends a long system prompt, then three more questions with the same one, then one that differs in its first word.</source>
        <translation>Sendet einen langen System-Prompt, dann drei weitere Fragen mit demselben, dann eine, die sich im ersten Wort unterscheidet.</translation>
    </message>
    <message>
        <source>The first request: its system prompt of about {0} tokens is new to the cache.</source>
        <translation>Die erste Anfrage: Ihr System-Prompt von etwa {0} Token ist dem Cache neu.</translation>
    </message>
    <message>
        <source>The same system prompt again: its blocks are there already.</source>
        <translation>Derselbe System-Prompt noch einmal: Seine Blöcke sind schon da.</translation>
    </message>
    <message>
        <source>Two more of them at once. Watch shared blocks light up.</source>
        <translation>Noch zwei davon zugleich. Sehen Sie, wie geteilte Blöcke aufleuchten.</translation>
    </message>
    <message>
        <source>The same text once more, with another first word.</source>
        <translation>Derselbe Text noch einmal, mit einem anderen ersten Wort.</translation>
    </message>
    <message>
        <source>First: {0} prompt tokens, from the cache</source>
        <translation>Erste: {0} Prompt-Token, aus dem Cache</translation>
    </message>
    <message>
        <source>The three after it: from the cache, each</source>
        <translation>Die drei danach: aus dem Cache, je</translation>
    </message>
    <message>
        <source>With another first word: from the cache</source>
        <translation>Mit anderem ersten Wort: aus dem Cache</translation>
    </message>
    <message>
        <source>Wait for the first token, first and second</source>
        <translation>Wartezeit auf das erste Token, erste und zweite</translation>
    </message>
    <message>
        <source>Most blocks that several requests held at once</source>
        <translation>Meiste Blöcke, die mehrere Anfragen zugleich hielten</translation>
    </message>
    <message>
        <source>enable_prefix_caching is off in this engine: {0} tokens came from the cache, and every prompt was computed anew.</source>
        <translation>enable_prefix_caching ist in dieser Engine aus: {0} Token kamen aus dem Cache, und jeder Prompt wurde neu berechnet.</translation>
    </message>
    <message>
        <source>{0} of {1} prompt tokens needed no computing. One other word at the very beginning left {2}: a block is only the same if all before it is.</source>
        <translation>{0} von {1} Prompt-Token mussten nicht berechnet werden. Ein anderes Wort ganz am Anfang ließ {2}: Ein Block ist nur derselbe, wenn alles davor es ist.</translation>
    </message>
    <message>
        <source>No model is ready.</source>
        <translation>Kein Modell ist bereit.</translation>
    </message>
    <message>
        <source>Load one, then begin the lesson again.</source>
        <translation>Laden Sie eines und beginnen Sie die Lektion noch einmal.</translation>
    </message>
    <message>
        <source>The engine has not told its limits yet.</source>
        <translation>Die Engine hat ihre Grenzen noch nicht genannt.</translation>
    </message>
    <message>
        <source>Try again in a moment.</source>
        <translation>Versuchen Sie es gleich noch einmal.</translation>
    </message>
    <message>
        <source>The engine did not take the limit of {0} requests.</source>
        <translation>Die Engine nahm die Grenze von {0} Anfragen nicht an.</translation>
    </message>
    <message>
        <source>Set max_num_seqs yourself in Parameters.</source>
        <translation>Setzen Sie max_num_seqs selbst unter Parameter.</translation>
    </message>
</context>
<context>
    <name>LibraryWatch</name>
    <message>
        <source>Look for models</source>
        <translation>Modelle suchen</translation>
    </message>
    <message>
        <source>{path} is not a folder.</source>
        <translation>{path} ist kein Ordner.</translation>
    </message>
    <message>
        <source>Choose the folder that holds the checkpoint, or one above it.</source>
        <translation>Den Ordner mit dem Checkpoint wählen, oder einen darüber.</translation>
    </message>
    <message>
        <source>Ask vLLM what it supports</source>
        <translation>vLLM fragen, was es unterstützt</translation>
    </message>
</context>
<context>
    <name>LimitsLine</name>
    <message>
        <source>Measuring the limits</source>
        <translation>Grenzen werden gemessen</translation>
    </message>
    <message>
        <source>Measuring: {0}. A running engine is slower meanwhile.</source>
        <translation>Messung: {0}. Eine laufende Engine ist währenddessen langsamer.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>An engine is loaded: measuring slows it for ten seconds, and it lowers what is measured.</source>
        <translation>Eine Engine ist geladen: Die Messung bremst sie zehn Sekunden lang, und sie drückt das Gemessene.</translation>
    </message>
    <message>
        <source>Measure all the same</source>
        <translation>Trotzdem messen</translation>
    </message>
    <message>
        <source>Measure again</source>
        <translation>Neu messen</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Messen</translation>
    </message>
</context>
<context>
    <name>LiveCharts</name>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>per second</source>
        <translation>je Sekunde</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>Beendet</translation>
    </message>
    <message>
        <source>out</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>in</source>
        <translation>ein</translation>
    </message>
    <message>
        <source>under way</source>
        <translation>unterwegs</translation>
    </message>
    <message>
        <source>good</source>
        <translation>gut</translation>
    </message>
    <message>
        <source>successful</source>
        <translation>erfolgreich</translation>
    </message>
    <message>
        <source>incomplete</source>
        <translation>unvollständig</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartend</translation>
    </message>
</context>
<context>
    <name>LoadFields</name>
    <message>
        <source>It would never end: give a number of requests or a time.</source>
        <translation>Sie würde nie enden: Geben Sie eine Anzahl Anfragen oder eine Zeit an.</translation>
    </message>
    <message>
        <source>The longest request needs {needed} tokens, this model takes {most} (max_model_len). Shorten prompts or answers, or reload with a larger max_model_len.</source>
        <translation>Die längste Anfrage braucht {needed} Tokens, dieses Modell fasst {most} (max_model_len). Kürzen Sie Prompts oder Antworten, oder laden Sie mit größerem max_model_len.</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Route</source>
        <translation>Route</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>any</source>
        <translation>frei</translation>
    </message>
    <message>
        <source>Shared system prompt</source>
        <translation>Gemeinsamer System-Prompt</translation>
    </message>
    <message>
        <source>Every request begins with the same text of this length; 0: none. The engine computes it once and reuses it.</source>
        <translation>Jede Anfrage beginnt mit demselben Text dieser Länge; 0: keiner. Die Engine berechnet ihn einmal und verwendet ihn wieder.</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>requests</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>It ends after so many requests. Empty: time ends it.</source>
        <translation>Sie endet nach so vielen Anfragen. Leer: Die Zeit beendet sie.</translation>
    </message>
    <message>
        <source>Longest time</source>
        <translation>Längste Zeit</translation>
    </message>
    <message>
        <source>It ends after so long. Empty: the number of requests ends it.</source>
        <translation>Sie endet nach dieser Zeit. Leer: Die Anzahl der Anfragen beendet sie.</translation>
    </message>
    <message>
        <source>Time to first token: at most so long for a good answer.</source>
        <translation>Zeit bis zum ersten Token: höchstens so lang für eine gute Antwort.</translation>
    </message>
    <message>
        <source>Time per further token: at most so long for a good answer.</source>
        <translation>Zeit je weiterem Token: höchstens so lang für eine gute Antwort.</translation>
    </message>
    <message>
        <source>The whole answer: at most so long for a good one.</source>
        <translation>Die ganze Antwort: höchstens so lang für eine gute.</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>Aufwärmen</translation>
    </message>
    <message>
        <source>Sent first, and counted nowhere.</source>
        <translation>Zuerst geschickt und nirgends gezählt.</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>The same seed sends the same requests.</source>
        <translation>Derselbe Startwert schickt dieselben Anfragen.</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>model&apos;s</source>
        <translation>des Modells</translation>
    </message>
    <message>
        <source>Time-out</source>
        <translation>Zeitgrenze</translation>
    </message>
    <message>
        <source>A request that takes longer counts as failed.</source>
        <translation>Eine Anfrage, die länger dauert, gilt als fehlgeschlagen.</translation>
    </message>
    <message>
        <source>Answers exactly as long as asked</source>
        <translation>Antworten genau so lang wie verlangt</translation>
    </message>
    <message>
        <source>The model may not end an answer by itself (ignore_eos), so that runs can be compared.</source>
        <translation>Das Modell darf eine Antwort nicht selbst beenden (ignore_eos), damit Läufe vergleichbar sind.</translation>
    </message>
    <message>
        <source>Cut what runs when time is up</source>
        <translation>Bei Zeitende Laufendes abschneiden</translation>
    </message>
    <message>
        <source>What is cut counts as incomplete. Otherwise it may finish.</source>
        <translation>Abgeschnittenes gilt als unvollständig. Sonst darf es fertig werden.</translation>
    </message>
</context>
<context>
    <name>LoadForm</name>
    <message>
        <source>Load</source>
        <translation>Last</translation>
    </message>
    <message>
        <source>{load} (edited)</source>
        <translation>{load} (geändert)</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>Prompts, each different</source>
        <translation>Prompts, jeder anders</translation>
    </message>
    <message>
        <source>Requests come</source>
        <translation>Anfragen kommen</translation>
    </message>
    <message>
        <source>Shared system prompt</source>
        <translation>Gemeinsamer System-Prompt</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>It ends after</source>
        <translation>Sie endet nach</translation>
    </message>
    <message>
        <source>or</source>
        <translation>oder</translation>
    </message>
    <message>
        <source>A good answer (SLO)</source>
        <translation>Eine gute Antwort (SLO)</translation>
    </message>
    <message>
        <source>Texts</source>
        <translation>Texte</translation>
    </message>
    <message>
        <source>Set-up of the load</source>
        <translation>Einstellungen der Last</translation>
    </message>
    <message>
        <source>Route</source>
        <translation>Route</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>Aufwärmen</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>Time-out of a request</source>
        <translation>Zeitgrenze einer Anfrage</translation>
    </message>
</context>
<context>
    <name>LogView</name>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Filter by words</source>
        <translation>Nach Wörtern filtern</translation>
    </message>
    <message>
        <source>Least level</source>
        <translation>Mindeststufe</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alles</translation>
    </message>
    <message>
        <source>info</source>
        <translation>Hinweise</translation>
    </message>
    <message>
        <source>warnings</source>
        <translation>Warnungen</translation>
    </message>
    <message>
        <source>errors</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Save the log</source>
        <translation>Protokoll sichern</translation>
    </message>
    <message>
        <source>Copy all that is shown</source>
        <translation>Alles Gezeigte kopieren</translation>
    </message>
    <message>
        <source>Save to a file</source>
        <translation>In eine Datei sichern</translation>
    </message>
    <message>
        <source>Empty the log</source>
        <translation>Protokoll leeren</translation>
    </message>
</context>
<context>
    <name>LogWindow</name>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Dock or float</source>
        <translation>Andocken oder ablösen</translation>
    </message>
    <message>
        <source>Hide the log</source>
        <translation>Protokoll einklappen</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>ending the engine…</source>
        <translation>Engine wird beendet …</translation>
    </message>
    <message>
        <source>Panels</source>
        <translation>Bereiche</translation>
    </message>
</context>
<context>
    <name>MemoryBar</name>
    <message>
        <source>{0} (pid {1}): {2}</source>
        <translation>{0} (PID {1}): {2}</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>und eine weitere</numerusform>
            <numerusform>und %n weitere</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MemoryCard</name>
    <message>
        <source>{0} of {1} used</source>
        <translation>{0} von {1} belegt</translation>
    </message>
    <message>
        <source>{0} ago</source>
        <translation>vor {0}</translation>
    </message>
    <message>
        <source>utilization {0}</source>
        <translation>Auslastung {0}</translation>
    </message>
</context>
<context>
    <name>MemoryParts</name>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>The model&apos;s weights, as vLLM reports them.</source>
        <translation>Die Gewichte des Modells, wie vLLM sie meldet.</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV-Cache</translation>
    </message>
    <message>
        <source>The pool of KV-cache blocks, reserved when the model was loaded, whether in use or not.</source>
        <translation>Der Vorrat an KV-Cache-Blöcken, beim Laden reserviert, ob benutzt oder nicht.</translation>
    </message>
    <message>
        <source>rest</source>
        <translation>Rest</translation>
    </message>
    <message>
        <source>What else this engine&apos;s processes hold: activations, CUDA graphs, the runtime.</source>
        <translation>Was die Prozesse dieser Engine sonst halten: Aktivierungen, CUDA-Graphen, die Laufzeit.</translation>
    </message>
    <message>
        <source>others</source>
        <translation>andere</translation>
    </message>
    <message>
        <source>Memory of other processes.</source>
        <translation>Speicher anderer Prozesse.</translation>
    </message>
    <message>
        <source>free</source>
        <translation>frei</translation>
    </message>
    <message>
        <source>Memory that nobody holds.</source>
        <translation>Speicher, den niemand hält.</translation>
    </message>
    <message>
        <source>driver</source>
        <translation>Treiber</translation>
    </message>
    <message>
        <source>Used memory that belongs to no process: the driver keeps it for itself.</source>
        <translation>Belegter Speicher, der keinem Prozess gehört: der Treiber behält ihn für sich.</translation>
    </message>
    <message>
        <source>not told apart</source>
        <translation>nicht zugeordnet</translation>
    </message>
    <message>
        <source>Used memory that the driver does not give to any process (it cannot under WSL2 and in containers): the engine&apos;s rest and other programs.</source>
        <translation>Belegter Speicher, den der Treiber keinem Prozess zuordnet (unter WSL2 und in Containern kann er es nicht): der Rest der Engine und andere Programme.</translation>
    </message>
</context>
<context>
    <name>Menus</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>&amp;Modell</translation>
    </message>
    <message>
        <source>&amp;Panel</source>
        <translation>&amp;Bereich</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
</context>
<context>
    <name>MessageCard</name>
    <message>
        <source>You</source>
        <translation>Sie</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>waiting for the first token…</source>
        <translation>warten auf das erste Token …</translation>
    </message>
    <message>
        <source>Copy the message</source>
        <translation>Nachricht kopieren</translation>
    </message>
    <message>
        <source>Edit and send again (this version is kept)</source>
        <translation>Ändern und neu senden (diese Fassung bleibt)</translation>
    </message>
    <message>
        <source>Answer again (this version is kept)</source>
        <translation>Neu antworten (diese Fassung bleibt)</translation>
    </message>
    <message>
        <source>Delete this message and what follows</source>
        <translation>Diese Nachricht und alles danach löschen</translation>
    </message>
</context>
<context>
    <name>MessageEditor</name>
    <message>
        <source>Edit the message</source>
        <translation>Nachricht ändern</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>ModelMenu</name>
    <message>
        <source>Load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Wake</source>
        <translation>Wecken</translation>
    </message>
    <message>
        <source>End</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Put to sleep</source>
        <translation>Schlafen legen</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>Pfad kopieren</translation>
    </message>
    <message>
        <source>Copy as vllm serve command</source>
        <translation>Als vllm-serve-Befehl kopieren</translation>
    </message>
</context>
<context>
    <name>ModelSwitcher</name>
    <message>
        <source>Choose the model to run</source>
        <translation>Das Modell wählen, das laufen soll</translation>
    </message>
    <message>
        <source>No model yet</source>
        <translation>Noch kein Modell</translation>
    </message>
    <message>
        <source>Model: {name}</source>
        <translation>Modell: {name}</translation>
    </message>
    <message>
        <source>No checkpoints found yet</source>
        <translation>Noch keine Checkpoints gefunden</translation>
    </message>
    <message>
        <source>{name} · warm</source>
        <translation>{name} · warm</translation>
    </message>
</context>
<context>
    <name>ModelWords</name>
    <message>
        <source>{} parameters</source>
        <translation>{} Parameter</translation>
    </message>
    <message>
        <source>{} context</source>
        <translation>{} Kontext</translation>
    </message>
    <message>
        <source>no chat template: it completes text, it cannot chat</source>
        <translation>keine Chat-Vorlage: es ergänzt Text, chatten kann es nicht</translation>
    </message>
    <message>
        <source>brings Python code of its own</source>
        <translation>bringt eigenen Python-Code mit</translation>
    </message>
    <message>
        <source>weights are pickles, which can run code</source>
        <translation>Gewichte sind Pickles, die Code ausführen können</translation>
    </message>
    <message>
        <source>This CPU has no kernel for it: weights are unpacked at load.</source>
        <translation>Diese CPU hat keinen Kernel dafür: die Gewichte werden beim Laden entpackt.</translation>
    </message>
    <message>
        <source>KV cache fits {times} × {length} tokens</source>
        <translation>KV-Cache fasst {times} × {length} Tokens</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>starten</translation>
    </message>
    <message>
        <source>putting the other one to sleep</source>
        <translation>legt das andere schlafen</translation>
    </message>
    <message>
        <source>waking</source>
        <translation>aufwecken</translation>
    </message>
    <message>
        <source>reading weights</source>
        <translation>Gewichte lesen</translation>
    </message>
    <message>
        <source>compiling</source>
        <translation>kompilieren</translation>
    </message>
    <message>
        <source>profiling memory</source>
        <translation>Speicher messen</translation>
    </message>
    <message>
        <source>capturing graphs</source>
        <translation>Graphen aufnehmen</translation>
    </message>
    <message>
        <source>making the KV cache</source>
        <translation>KV-Cache anlegen</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>erstes Token</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>bereit</translation>
    </message>
</context>
<context>
    <name>ModelsPanel</name>
    <message>
        <source>Filter models</source>
        <translation>Modelle filtern</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>Ordner hinzufügen …</translation>
    </message>
    <message>
        <source>Find models on the hub…</source>
        <translation>Modelle auf dem Hub finden …</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Look for models again</source>
        <translation>Modelle neu suchen</translation>
    </message>
    <message numerus="yes">
        <source>%n more: show some of them, or filter</source>
        <translation>
            <numerusform>%n weiteres: zeigen oder filtern</numerusform>
            <numerusform>%n weitere: einige davon zeigen, oder filtern</numerusform>
        </translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation>Modelle werden gesucht …</translation>
    </message>
    <message>
        <source>Models in Hugging Face&apos;s cache and in your folders appear here.</source>
        <translation>Modelle aus dem Cache von Hugging Face und aus Ihren Ordnern erscheinen hier.</translation>
    </message>
    <message>
        <source>No model matches “{}”.</source>
        <translation>Kein Modell passt zu „{}“.</translation>
    </message>
    <message>
        <source>Folders that are searched</source>
        <translation>Durchsuchte Ordner</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Look there no longer</source>
        <translation>Dort nicht mehr suchen</translation>
    </message>
    <message>
        <source>Add a folder with models</source>
        <translation>Ordner mit Modellen hinzufügen</translation>
    </message>
</context>
<context>
    <name>NoticeBar</name>
    <message>
        <source>Dismiss this message</source>
        <translation>Diese Meldung schließen</translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>eine weitere</numerusform>
            <numerusform>%n weitere</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>NumberEdit</name>
    <message>
        <source>{name} is empty: give {range}.</source>
        <translation>{name} ist leer: Geben Sie {range} an.</translation>
    </message>
    <message>
        <source>{name} is no number: give {range}.</source>
        <translation>{name} ist keine Zahl: Geben Sie {range} an.</translation>
    </message>
    <message>
        <source>{name} has to be {range}.</source>
        <translation>{name} muss {range} sein.</translation>
    </message>
    <message>
        <source>{0} to {1}</source>
        <translation>{0} bis {1}</translation>
    </message>
</context>
<context>
    <name>NumberField</name>
    <message>
        <source>auto</source>
        <translation>auto</translation>
    </message>
</context>
<context>
    <name>OfferedModel</name>
    <message>
        <source>Waiting for the model</source>
        <translation>Warten auf das Modell</translation>
    </message>
    <message>
        <source>Load {0}</source>
        <translation>{0} laden</translation>
    </message>
    <message>
        <source>The starter model is being built</source>
        <translation>Das Startmodell wird gebaut</translation>
    </message>
    <message>
        <source>Build the starter model</source>
        <translation>Startmodell bauen</translation>
    </message>
</context>
<context>
    <name>OptionsPopover</name>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>Top p</source>
        <translation>Top p</translation>
    </message>
    <message>
        <source>Longest answer in tokens</source>
        <translation>Längste Antwort in Tokens</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>model&apos;s default</source>
        <translation>Vorgabe des Modells</translation>
    </message>
    <message>
        <source>0 always takes the likeliest token; higher is more varied.</source>
        <translation>0 nimmt immer das wahrscheinlichste Token; höher ist abwechslungsreicher.</translation>
    </message>
    <message>
        <source>Only the likeliest tokens that together reach this share are drawn from.</source>
        <translation>Gezogen wird nur aus den wahrscheinlichsten Tokens, die zusammen diesen Anteil erreichen.</translation>
    </message>
    <message>
        <source>The answer ends after so many tokens at the latest.</source>
        <translation>Spätestens nach so vielen Tokens endet die Antwort.</translation>
    </message>
    <message>
        <source>The same seed, prompt and batch draw the same tokens.</source>
        <translation>Gleicher Seed, Prompt und Batch ziehen gleiche Tokens.</translation>
    </message>
    <message>
        <source>Model&apos;s defaults</source>
        <translation>Vorgaben des Modells</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>How answers are sampled</source>
        <translation>Wie Antworten gezogen werden</translation>
    </message>
</context>
<context>
    <name>OutlierMenu</name>
    <message>
        <source>Slowest requests</source>
        <translation>Langsamste Anfragen</translation>
    </message>
    <message>
        <source>Longest wait for the first token</source>
        <translation>Längste Wartezeit auf das erste Token</translation>
    </message>
    <message>
        <source>Longest pause between two tokens</source>
        <translation>Längste Pause zwischen zwei Token</translation>
    </message>
    <message>
        <source>Longest in all</source>
        <translation>Insgesamt längste</translation>
    </message>
    <message>
        <source>No request has been seen yet</source>
        <translation>Noch wurde keine Anfrage gesehen</translation>
    </message>
</context>
<context>
    <name>Outliers</name>
    <message>
        <source>{0}, preempted</source>
        <translation>{0}, verdrängt</translation>
    </message>
    <message>
        <source>{0} waited {1} for its first token</source>
        <translation>{0} wartete {1} auf das erste Token</translation>
    </message>
    <message>
        <source>{0} paused for {1} between two tokens</source>
        <translation>{0} stockte {1} zwischen zwei Token</translation>
    </message>
    <message>
        <source>{0} took {1} in all</source>
        <translation>{0} brauchte insgesamt {1}</translation>
    </message>
    <message>
        <source>{0}, preemptions: {1}</source>
        <translation>{0}, Verdrängungen: {1}</translation>
    </message>
    <message>
        <source>{0}. Longest step meanwhile: {1}</source>
        <translation>{0}. Längster Schritt währenddessen: {1}</translation>
    </message>
</context>
<context>
    <name>OverlayCharts</name>
    <message>
        <source>Output tokens</source>
        <translation>Ausgabe-Tokens</translation>
    </message>
    <message>
        <source>per second</source>
        <translation>je Sekunde</translation>
    </message>
    <message>
        <source>Requests under way</source>
        <translation>Anfragen unterwegs</translation>
    </message>
</context>
<context>
    <name>OwnFolders</name>
    <message>
        <source>KVDeck cannot write its folder {folder}: {reason}.</source>
        <translation>KVDeck kann seinen Ordner {folder} nicht beschreiben: {reason}.</translation>
    </message>
    <message>
        <source>Make it writable for you, or name another place: KVDECK_HOME=FOLDER kvdeck</source>
        <translation>Machen Sie ihn für sich beschreibbar, oder nennen Sie einen anderen Ort: KVDECK_HOME=ORDNER kvdeck</translation>
    </message>
</context>
<context>
    <name>PanelDock</name>
    <message>
        <source>Show this panel in a window of its own</source>
        <translation>Diesen Bereich in einem eigenen Fenster zeigen</translation>
    </message>
    <message>
        <source>Hide this panel</source>
        <translation>Diesen Bereich ausblenden</translation>
    </message>
    <message>
        <source>Put this panel back</source>
        <translation>Diesen Bereich zurücksetzen</translation>
    </message>
</context>
<context>
    <name>Panels</name>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV-Cache</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitverlauf</translation>
    </message>
    <message>
        <source>Lab</source>
        <translation>Labor</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>Chat</translation>
    </message>
    <message>
        <source>Explain</source>
        <translation>Erklären</translation>
    </message>
</context>
<context>
    <name>ParameterExtras</name>
    <message>
        <source>Measuring…</source>
        <translation>Wird gemessen …</translation>
    </message>
    <message>
        <source>Look for drafts</source>
        <translation>Entwurfsmodelle suchen</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPUs</translation>
    </message>
</context>
<context>
    <name>ParameterRow</name>
    <message>
        <source>Live: in force within one step, up to the capacity fixed at load</source>
        <translation>Live: gilt binnen eines Schritts, bis zur beim Laden festgelegten Kapazität</translation>
    </message>
    <message>
        <source>In force after a reload</source>
        <translation>Gilt nach dem Neuladen</translation>
    </message>
    <message>
        <source>needs a value</source>
        <translation>braucht einen Wert</translation>
    </message>
    <message>
        <source>or auto</source>
        <translation>oder auto</translation>
    </message>
    <message>
        <source>from {low} to {high}{empty}</source>
        <translation>von {low} bis {high}{empty}</translation>
    </message>
    <message>
        <source>over the capacity {}: needs a reload</source>
        <translation>über der Kapazität {}: braucht Neuladen</translation>
    </message>
    <message>
        <source>lowering it frees no memory: the capacity {} stays</source>
        <translation>Senken gibt keinen Speicher frei: die Kapazität {} bleibt</translation>
    </message>
    <message>
        <source>capacity {}; more needs a reload</source>
        <translation>Kapazität {}; mehr braucht Neuladen</translation>
    </message>
    <message>
        <source>{before} → {after} at {time}, step {step}</source>
        <translation>{before} → {after} um {time}, Schritt {step}</translation>
    </message>
    <message>
        <source>{} preempted</source>
        <translation>{} verdrängt</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>auto</translation>
    </message>
    <message>
        <source>on</source>
        <translation>ein</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>What the engine reports</source>
        <translation>Was die Engine meldet</translation>
    </message>
    <message>
        <source>{} in force</source>
        <translation>{} gilt</translation>
    </message>
</context>
<context>
    <name>ParameterWords</name>
    <message>
        <source>Batching</source>
        <translation>Batching</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>Cache</translation>
    </message>
    <message>
        <source>Execution</source>
        <translation>Ausführung</translation>
    </message>
    <message>
        <source>Adapters</source>
        <translation>Adapter</translation>
    </message>
    <message>
        <source>Parallel</source>
        <translation>Parallelität</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>requests</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>blocks</source>
        <translation>Blöcke</translation>
    </message>
    <message>
        <source>devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>engines</source>
        <translation>Engines</translation>
    </message>
    <message>
        <source>adapters</source>
        <translation>Adapter</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>GPUs: {}</source>
        <translation>GPUs: {}</translation>
    </message>
    <message>
        <source>as JSON</source>
        <translation>als JSON</translation>
    </message>
    <message>
        <source>from the window</source>
        <translation>vom Fenster aus</translation>
    </message>
    <message>
        <source>by the tuner</source>
        <translation>vom Tuner</translation>
    </message>
    <message>
        <source>by a sweep</source>
        <translation>von einem Durchlauf</translation>
    </message>
    <message>
        <source>by an A/B comparison</source>
        <translation>von einem A/B-Vergleich</translation>
    </message>
    <message>
        <source>by an experiment</source>
        <translation>von einem Experiment</translation>
    </message>
</context>
<context>
    <name>ParametersPanel</name>
    <message>
        <source>Search parameters</source>
        <translation>Parameter suchen</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Copy as vllm serve command</source>
        <translation>Als vllm-serve-Befehl kopieren</translation>
    </message>
    <message>
        <source>Import a command or file…</source>
        <translation>Befehl oder Datei einlesen …</translation>
    </message>
    <message>
        <source>Export as command, YAML or docker…</source>
        <translation>Als Befehl, YAML oder docker ausgeben …</translation>
    </message>
    <message>
        <source>Profiles of this model…</source>
        <translation>Profile dieses Modells …</translation>
    </message>
    <message>
        <source>Compare edits with what runs…</source>
        <translation>Änderungen mit dem Laufenden vergleichen …</translation>
    </message>
    <message>
        <source>Revert all edits</source>
        <translation>Alle Änderungen verwerfen</translation>
    </message>
    <message>
        <source>No parameter matches “{}”.</source>
        <translation>Kein Parameter passt zu „{}“.</translation>
    </message>
    <message>
        <source>End left-over engine processes</source>
        <translation>Übrig gebliebene Engine-Prozesse beenden</translation>
    </message>
    <message>
        <source>End them</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Leave them</source>
        <translation>Lassen</translation>
    </message>
</context>
<context>
    <name>ParetoChart</name>
    <message>
        <source>TTFT p95 over output tokens per second</source>
        <translation>TTFT p95 über Ausgabe-Tokens je Sekunde</translation>
    </message>
</context>
<context>
    <name>Phases</name>
    <message>
        <source>engine host offline</source>
        <translation>Engine-Host nicht da</translation>
    </message>
    <message>
        <source>engine host starting</source>
        <translation>Engine-Host startet</translation>
    </message>
    <message>
        <source>no model loaded</source>
        <translation>kein Modell geladen</translation>
    </message>
    <message>
        <source>loading</source>
        <translation>lädt</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>bereit</translation>
    </message>
    <message>
        <source>unloading</source>
        <translation>wird entladen</translation>
    </message>
    <message>
        <source>asleep</source>
        <translation>schläft</translation>
    </message>
    <message>
        <source>load failed</source>
        <translation>Laden gescheitert</translation>
    </message>
    <message>
        <source>engine died</source>
        <translation>Engine abgestürzt</translation>
    </message>
</context>
<context>
    <name>PrefixView</name>
    <message>
        <source>Read the tree now</source>
        <translation>Baum jetzt lesen</translation>
    </message>
    <message>
        <source>Keep token ids of cached prefixes</source>
        <translation>Token-Nummern der Präfixe im Cache behalten</translation>
    </message>
    <message>
        <source>Keep the token ids of cached prefixes in the engine, so that their text can be read when no request holds them any more: at most 64 MiB, until this is off again or the engine ends. They are not written to recordings.</source>
        <translation>Token-Nummern der Präfixe im Cache in der Engine behalten, damit ihr Text auch zu lesen ist, wenn keine Anfrage sie mehr hält: höchstens 64 MiB, bis dies wieder aus ist oder die Engine endet. In Aufzeichnungen kommen sie nicht.</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>Blöcke</translation>
    </message>
    <message>
        <source>Owners</source>
        <translation>Besitzer</translation>
    </message>
    <message>
        <source>Reused</source>
        <translation>Genutzt</translation>
    </message>
    <message>
        <source>Last use</source>
        <translation>Zuletzt</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Cached prefixes</source>
        <translation>Präfixe im Cache</translation>
    </message>
    <message>
        <source>This recording holds no prefix tree up to here.</source>
        <translation>Diese Aufzeichnung hat bis hierher keinen Präfixbaum.</translation>
    </message>
    <message>
        <source>No prefix is kept yet: full blocks of a prompt are, once they are computed.</source>
        <translation>Noch wird kein Präfix aufgehoben: volle Blöcke eines Prompts werden es, sobald sie berechnet sind.</translation>
    </message>
    <message>
        <source>This prefix was cached before its token ids were kept, and no live request holds it.</source>
        <translation>Dieses Präfix kam in den Cache, bevor Token-Nummern behalten wurden, und keine laufende Anfrage hält es.</translation>
    </message>
    <message>
        <source>No live request holds this prefix, and no token ids of it are kept: only its hash is left.</source>
        <translation>Keine laufende Anfrage hält dieses Präfix, und seine Token-Nummern sind nicht behalten: Nur sein Hash ist übrig.</translation>
    </message>
    <message>
        <source>{0} tokens</source>
        <translation>{0} Token</translation>
    </message>
    <message>
        <source>{0} to {1}</source>
        <translation>{0} bis {1}</translation>
    </message>
    <message>
        <source>{0}, beginning evicted</source>
        <translation>{0}, Anfang geräumt</translation>
    </message>
    <message>
        <source>{0} ago</source>
        <translation>vor {0}</translation>
    </message>
    <message>
        <source>in steps</source>
        <translation>in Schritten</translation>
    </message>
</context>
<context>
    <name>PrefixWords</name>
    <message>
        <source>{0} found {1} of {2} prompt tokens in the prefix cache.</source>
        <translation>{0} fand {1} von {2} Prompt-Token im Präfix-Cache.</translation>
    </message>
    <message>
        <source>It waits; the prefix cache is asked when it is admitted.</source>
        <translation>Sie wartet; der Präfix-Cache wird bei der Zulassung gefragt.</translation>
    </message>
    <message>
        <source>It does not read the prefix cache.</source>
        <translation>Sie liest den Präfix-Cache nicht.</translation>
    </message>
    <message>
        <source>Its prompt is too short: only whole blocks of {0} tokens before the last token are reused.</source>
        <translation>Der Prompt ist zu kurz: Nur ganze Blöcke mit {0} Token vor dem letzten Token werden wiederverwendet.</translation>
    </message>
    <message>
        <source>That is all there can be: whole blocks of {0} tokens, and never the last token.</source>
        <translation>Mehr kann es nicht sein: ganze Blöcke mit {0} Token, und nie das letzte Token.</translation>
    </message>
    <message>
        <source>The block after that had been cached, and was evicted {0} steps before.</source>
        <translation>Der nächste Block war im Cache und wurde {0} Schritte vorher geräumt.</translation>
    </message>
    <message>
        <source>Another request with the same next block was still computing it at that time.</source>
        <translation>Eine andere Anfrage mit demselben nächsten Block berechnete ihn da noch.</translation>
    </message>
    <message>
        <source>Nobody had computed the same tokens {0} to {1} by then.</source>
        <translation>Niemand hatte bis dahin dieselben Token {0} bis {1} berechnet.</translation>
    </message>
    <message>
        <source>Nobody had the same tokens {0} to {1} before.</source>
        <translation>Niemand hatte vorher dieselben Token {0} bis {1}.</translation>
    </message>
    <message>
        <source>The nearest cached prefix, of {0}, begins with the same {1} tokens, then differs.</source>
        <translation>Das ähnlichste Präfix im Cache, von {0}, beginnt mit denselben {1} Token und weicht dann ab.</translation>
    </message>
    <message>
        <source>No live request begins with the same token.</source>
        <translation>Keine laufende Anfrage beginnt mit demselben Token.</translation>
    </message>
    <message>
        <source>The nearest live request, {0}, shares its first {1} tokens: less than one block.</source>
        <translation>Die ähnlichste laufende Anfrage, {0}, hat die ersten {1} Token gemeinsam: weniger als einen Block.</translation>
    </message>
    <message>
        <source>The nearest live request, {0}, begins with the same {1} tokens and then differs.</source>
        <translation>Die ähnlichste laufende Anfrage, {0}, beginnt mit denselben {1} Token und weicht dann ab.</translation>
    </message>
    <message>
        <source>without an adapter</source>
        <translation>ohne Adapter</translation>
    </message>
    <message>
        <source>with the adapter {0}</source>
        <translation>mit dem Adapter {0}</translation>
    </message>
    <message>
        <source>Blocks saved by sharing: {0}</source>
        <translation>durch Teilen gesparte Blöcke: {0}</translation>
    </message>
    <message>
        <source>cached: {0}</source>
        <translation>im Cache: {0}</translation>
    </message>
    <message>
        <source>smaller branches not shown: {0}</source>
        <translation>kleinere Zweige, die fehlen: {0}</translation>
    </message>
    <message>
        <source>step {0}</source>
        <translation>Schritt {0}</translation>
    </message>
    <message>
        <source>{other} begins with the same {tokens} tokens, but is computed {way}: each has prefixes of its own.</source>
        <translation>{other} beginnt mit denselben {tokens} Token, wird aber {way} berechnet: Jeder hat seine eigenen Präfixe.</translation>
    </message>
    <message>
        <source>read in {0}</source>
        <translation>gelesen in {0}</translation>
    </message>
    <message>
        <source>token ids: {0}</source>
        <translation>Token-Nummern: {0}</translation>
    </message>
</context>
<context>
    <name>PreflightList</name>
    <message>
        <source>Before the load</source>
        <translation>Vor dem Laden</translation>
    </message>
    <message>
        <source>Use {value}</source>
        <translation>{value} nehmen</translation>
    </message>
    <message>
        <source>End</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>Setzen</translation>
    </message>
</context>
<context>
    <name>PresetButtons</name>
    <message>
        <source>Throughput</source>
        <translation>Durchsatz</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>Latenz</translation>
    </message>
    <message>
        <source>Defaults</source>
        <translation>Vorgaben</translation>
    </message>
</context>
<context>
    <name>ProfileDesk</name>
    <message>
        <source>Profiles</source>
        <translation>Profile</translation>
    </message>
</context>
<context>
    <name>RecordButton</name>
    <message>
        <source>Stop recording (Ctrl+R)</source>
        <translation>Aufzeichnung beenden (Strg+R)</translation>
    </message>
    <message>
        <source>Record what happens (Ctrl+R)</source>
        <translation>Aufzeichnen, was geschieht (Strg+R)</translation>
    </message>
</context>
<context>
    <name>RecordingDesk</name>
    <message>
        <source>Record</source>
        <translation>Aufzeichnen</translation>
    </message>
    <message>
        <source>A recording that was cut off has been kept: {file}</source>
        <translation>Eine abgebrochene Aufzeichnung wurde behalten: {file}</translation>
    </message>
    <message>
        <source>Recorded {seconds} s: {file}</source>
        <translation>{seconds} s aufgezeichnet: {file}</translation>
    </message>
</context>
<context>
    <name>RememberedList</name>
    <message>
        <source>Remembered from the last time</source>
        <translation>Vom letzten Mal gemerkt</translation>
    </message>
    <message>
        <source>Nothing.</source>
        <translation>Nichts.</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>Vergessen</translation>
    </message>
    <message>
        <source>The model that is offered first: {name}</source>
        <translation>Das Modell, das zuerst angeboten wird: {name}</translation>
    </message>
    <message>
        <source>The chat that was open</source>
        <translation>Der Chat, der offen war</translation>
    </message>
    <message>
        <source>How the panels were left: colours, pages, columns</source>
        <translation>Wie die Bereiche verlassen wurden: Farben, Seiten, Spalten</translation>
    </message>
    <message>
        <source>Where the window and its panels were</source>
        <translation>Wo das Fenster und seine Bereiche waren</translation>
    </message>
</context>
<context>
    <name>ReplayActions</name>
    <message>
        <source>Compare with another recording…</source>
        <translation>Mit einer anderen Aufzeichnung vergleichen …</translation>
    </message>
    <message>
        <source>Save as an animation…</source>
        <translation>Als Animation speichern …</translation>
    </message>
    <message>
        <source>Export all tables</source>
        <translation>Alle Tabellen exportieren</translation>
    </message>
    <message>
        <source>as CSV…</source>
        <translation>als CSV …</translation>
    </message>
    <message>
        <source>as Parquet…</source>
        <translation>als Parquet …</translation>
    </message>
    <message>
        <source>Play or pause</source>
        <translation>Abspielen oder anhalten</translation>
    </message>
    <message>
        <source>The next picture</source>
        <translation>Nächstes Bild</translation>
    </message>
    <message>
        <source>The picture before</source>
        <translation>Voriges Bild</translation>
    </message>
    <message>
        <source>A second on</source>
        <translation>Eine Sekunde vor</translation>
    </message>
    <message>
        <source>A second back</source>
        <translation>Eine Sekunde zurück</translation>
    </message>
    <message>
        <source>To the beginning</source>
        <translation>Zum Anfang</translation>
    </message>
    <message>
        <source>Faster</source>
        <translation>Schneller</translation>
    </message>
    <message>
        <source>Slower</source>
        <translation>Langsamer</translation>
    </message>
    <message>
        <source>{folder} could not be written: {reason}.</source>
        <translation>{folder} ließ sich nicht schreiben: {reason}.</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation>Wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
        <source>Exported, with rows: {files}</source>
        <translation>Exportiert, mit Zeilen: {files}</translation>
    </message>
    <message>
        <source>Recordings</source>
        <translation>Aufzeichnungen</translation>
    </message>
    <message>
        <source>Compare with another recording</source>
        <translation>Mit einer anderen Aufzeichnung vergleichen</translation>
    </message>
    <message>
        <source>A folder for the tables</source>
        <translation>Ein Ordner für die Tabellen</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
</context>
<context>
    <name>ReplayCommands</name>
    <message>
        <source>This window replays a recording; no engine runs behind it.</source>
        <translation>Dieses Fenster spielt eine Aufzeichnung ab; dahinter läuft keine Engine.</translation>
    </message>
    <message>
        <source>Open KVDeck without a recording to run a model.</source>
        <translation>Öffnen Sie KVDeck ohne Aufzeichnung, um ein Modell laufen zu lassen.</translation>
    </message>
</context>
<context>
    <name>ReplaySession</name>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
</context>
<context>
    <name>ReplayWindow</name>
    <message>
        <source>{file} – KVDeck</source>
        <translation>{file} – KVDeck</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitverlauf</translation>
    </message>
</context>
<context>
    <name>RequestList</name>
    <message>
        <source>Live requests</source>
        <translation>Laufende Anfragen</translation>
    </message>
    <message>
        <source>No request runs or waits. Each will be a row here.</source>
        <translation>Keine Anfrage läuft oder wartet. Jede wird hier eine Zeile.</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>Priorität</translation>
    </message>
    <message>
        <source>Before all usual ones</source>
        <translation>Vor allen üblichen</translation>
    </message>
    <message>
        <source>Usual</source>
        <translation>Üblich</translation>
    </message>
    <message>
        <source>After all usual ones</source>
        <translation>Nach allen üblichen</translation>
    </message>
    <message>
        <source>Abort request</source>
        <translation>Anfrage abbrechen</translation>
    </message>
    <message>
        <source>Copy id</source>
        <translation>ID kopieren</translation>
    </message>
    <message>
        <source>Copy table as CSV</source>
        <translation>Tabelle als CSV kopieren</translation>
    </message>
</context>
<context>
    <name>RequestsModel</name>
    <message>
        <source>{0} s</source>
        <translation>{0} s</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartend</translation>
    </message>
    <message>
        <source>prefill</source>
        <translation>Prefill</translation>
    </message>
    <message>
        <source>decode</source>
        <translation>Decode</translation>
    </message>
    <message>
        <source>preempted</source>
        <translation>verdrängt</translation>
    </message>
    <message>
        <source>Request</source>
        <translation>Anfrage</translation>
    </message>
    <message>
        <source>Phase</source>
        <translation>Phase</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Cached</source>
        <translation>Aus Cache</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>Blöcke</translation>
    </message>
    <message>
        <source>Age</source>
        <translation>Alter</translation>
    </message>
    <message>
        <source>The request&apos;s id, without the parts that all ids share</source>
        <translation>Die ID der Anfrage, ohne die Teile, die allen gemeinsam sind</translation>
    </message>
    <message>
        <source>Where the request stands in the scheduler</source>
        <translation>Wo die Anfrage im Scheduler steht</translation>
    </message>
    <message>
        <source>Tokens of the prompt</source>
        <translation>Tokens des Prompts</translation>
    </message>
    <message>
        <source>Tokens generated so far</source>
        <translation>Bisher erzeugte Tokens</translation>
    </message>
    <message>
        <source>Prompt tokens whose KV was found in the prefix cache at admission</source>
        <translation>Prompt-Tokens, deren KV bei der Aufnahme im Präfix-Cache lag</translation>
    </message>
    <message>
        <source>KV-cache blocks in the request&apos;s block tables</source>
        <translation>KV-Cache-Blöcke in den Blocktabellen der Anfrage</translation>
    </message>
    <message>
        <source>Time since the request arrived</source>
        <translation>Zeit seit dem Eingang der Anfrage</translation>
    </message>
    <message>
        <source>{0}
{1} of {2} tokens have their KV computed</source>
        <translation>{0}
für {1} von {2} Tokens ist das KV berechnet</translation>
    </message>
    <message>
        <source>preemptions: {0}</source>
        <translation>Verdrängungen: {0}</translation>
    </message>
</context>
<context>
    <name>RequestsView</name>
    <message>
        <source>Requests</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>successful</source>
        <translation>erfolgreich</translation>
    </message>
    <message>
        <source>incomplete</source>
        <translation>unvollständig</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>Show in the timeline</source>
        <translation>In der Zeitachse zeigen</translation>
    </message>
    <message>
        <source>Go to the slowest</source>
        <translation>Zur langsamsten</translation>
    </message>
    <message>
        <source>Requests: {count}</source>
        <translation>Anfragen: {count}</translation>
    </message>
    <message>
        <source>Requests of the run</source>
        <translation>Anfragen des Laufs</translation>
    </message>
</context>
<context>
    <name>Roofline</name>
    <message>
        <source>Decode</source>
        <translation>Decode</translation>
    </message>
    <message>
        <source>Prefill</source>
        <translation>Prefill</translation>
    </message>
    <message>
        <source>All steps</source>
        <translation>Alle Schritte</translation>
    </message>
    <message>
        <source>decode</source>
        <translation>Decode</translation>
    </message>
    <message>
        <source>prefill</source>
        <translation>Prefill</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>memory {0}</source>
        <translation>Speicher {0}</translation>
    </message>
    <message>
        <source>{0} in {1}</source>
        <translation>{0} in {1}</translation>
    </message>
    <message>
        <source>ridge {0}</source>
        <translation>Grat {0}</translation>
    </message>
    <message>
        <source>{0}: {1} FLOP/byte, {2}, {3}, {4} steps of {5}</source>
        <translation>{0}: {1} FLOP/Byte, {2}, {3}, {4} Schritte von {5}</translation>
    </message>
    <message>
        <source>{0}, {1} of the roof</source>
        <translation>{0}, {1} des Dachs</translation>
    </message>
    <message>
        <source>What this device can do at most has not been measured.</source>
        <translation>Was dieses Gerät höchstens kann, ist nicht gemessen.</translation>
    </message>
    <message>
        <source>{0}: {1} measured on {2}</source>
        <translation>{0}: {1}, gemessen am {2}</translation>
    </message>
    <message>
        <source>{0}, while an engine was loaded</source>
        <translation>{0}, während eine Engine geladen war</translation>
    </message>
    <message>
        <source>{0}: bound by memory bandwidth</source>
        <translation>{0}: durch die Speicherbandbreite begrenzt</translation>
    </message>
    <message>
        <source>{0}: bound by arithmetic</source>
        <translation>{0}: durch die Rechenleistung begrenzt</translation>
    </message>
    <message>
        <source>{0}: bound by neither</source>
        <translation>{0}: durch keines von beiden begrenzt</translation>
    </message>
    <message>
        <source>Faster than measured</source>
        <translation>Schneller als gemessen</translation>
    </message>
    <message>
        <source>More requests at once</source>
        <translation>Mehr Anfragen zugleich</translation>
    </message>
    <message>
        <source>More tokens a step</source>
        <translation>Mehr Token je Schritt</translation>
    </message>
    <message>
        <source>Prompts hold up running answers</source>
        <translation>Prompts halten laufende Antworten auf</translation>
    </message>
    <message>
        <source>Smaller keys and values</source>
        <translation>Kleinere Keys und Values</translation>
    </message>
    <message>
        <source>Smaller weights</source>
        <translation>Kleinere Gewichte</translation>
    </message>
    <message>
        <source>Fewer orders to the GPU</source>
        <translation>Weniger Aufträge an die GPU</translation>
    </message>
    <message>
        <source>The KV cache is too small</source>
        <translation>Der KV-Cache ist zu klein</translation>
    </message>
    <message>
        <source>Show {0} in Models</source>
        <translation>{0} unter Modelle zeigen</translation>
    </message>
    <message>
        <source>on</source>
        <translation>an</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>{0}: {1} FLOP/byte, {2} and {3}.</source>
        <translation>{0}: {1} FLOP/Byte, {2} und {3}.</translation>
    </message>
    <message>
        <source>{0}: {1} FLOP/byte, {2} of {3} measured ({4}).</source>
        <translation>{0}: {1} FLOP/Byte, {2} von gemessenen {3} ({4}).</translation>
    </message>
    <message>
        <source>{0} requests a step read {1} of weights and {2} of KV cache</source>
        <translation>{0} Anfragen je Schritt lesen {1} Gewichte und {2} KV-Cache</translation>
    </message>
    <message>
        <source>{0} prompt tokens a step use {1} of weights, read once</source>
        <translation>{0} Prompt-Token je Schritt nutzen {1} Gewichte, einmal gelesen</translation>
    </message>
    <message>
        <source>{0} ({1} requests decode beside)</source>
        <translation>{0} ({1} Anfragen dekodieren daneben)</translation>
    </message>
    <message>
        <source>Below the ridge at {0} FLOP/byte the memory&apos;s bandwidth is the limit.</source>
        <translation>Unter dem Grat bei {0} FLOP/Byte ist die Bandbreite des Speichers die Grenze.</translation>
    </message>
    <message>
        <source>Above the ridge at {0} FLOP/byte arithmetic is the limit.</source>
        <translation>Über dem Grat bei {0} FLOP/Byte ist die Rechenleistung die Grenze.</translation>
    </message>
    <message>
        <source>A step takes {0} and would need {1} at the measured limits: most of it is the step&apos;s own cost (scheduling, launching, sampling, waiting for a core).</source>
        <translation>Ein Schritt dauert {0} und bräuchte an den gemessenen Grenzen {1}: Das meiste sind seine eigenen Kosten (Planen, Starten, Sampling, Warten auf einen Kern).</translation>
    </message>
    <message>
        <source>Decode reads {0}, and {1} was measured. Part of it comes from the processor&apos;s caches, or the measurement was disturbed: measure again while nothing else runs.</source>
        <translation>Decode liest {0}, gemessen wurden {1}. Ein Teil kommt aus den Caches des Prozessors, oder die Messung war gestört: Messen Sie neu, während nichts anderes läuft.</translation>
    </message>
    <message>
        <source>As many requests run as max_num_seqs allows ({0}), and others wait ({1}). More in one step would read the same {2} of weights, {3} of what a step reads.</source>
        <translation>Es laufen so viele Anfragen, wie max_num_seqs erlaubt ({0}), und andere warten ({1}). Mehr in einem Schritt läsen dieselben {2} Gewichte, {3} dessen, was ein Schritt liest.</translation>
    </message>
    <message>
        <source>Preemptions in the last seconds: {0}. With {1} running requests the blocks are {2} used, and what is preempted is computed again. Fewer at once would compute everything once; a larger KV cache would hold them all.</source>
        <translation>Verdrängungen in den letzten Sekunden: {0}. Mit {1} laufenden Anfragen sind die Blöcke zu {2} belegt, und was verdrängt wird, wird noch einmal berechnet. Weniger zugleich rechneten alles einmal; ein größerer KV-Cache fasste sie alle.</translation>
    </message>
    <message>
        <source>Steps with prompts are full at {0} tokens, {1} requests wait, and they reach {2} of {3}: there is arithmetic left for longer chunks. Running answers would stutter more.</source>
        <translation>Schritte mit Prompts sind bei {0} Token voll, {1} Anfragen warten, und sie erreichen {2} von {3}: Für längere Stücke ist noch Rechenleistung da. Laufende Antworten würden mehr stocken.</translation>
    </message>
    <message>
        <source>A step with {0} prompt tokens takes {1}, one that only decodes {2}: {3} running answers wait that long for their next token. A smaller budget makes them steadier, and the wait for first tokens longer.</source>
        <translation>Ein Schritt mit {0} Prompt-Token dauert {1}, einer nur mit Decode {2}: {3} laufende Antworten warten so lange auf ihr nächstes Token. Ein kleineres Budget macht sie gleichmäßiger und die Wartezeit auf erste Token länger.</translation>
    </message>
    <message>
        <source>Of what a step reads {0} is KV cache and {1} weights. In FP8 the KV cache would be half of that, and hold twice the tokens; answers can change a little. In force after a reload.</source>
        <translation>Von dem, was ein Schritt liest, sind {0} KV-Cache und {1} Gewichte. In FP8 wäre der KV-Cache die Hälfte davon und fasste doppelt so viele Token; Antworten können sich etwas ändern. Gilt nach einem Neuladen.</translation>
    </message>
    <message>
        <source>Nobody waits for a larger batch, and a step reads {0} of weights; the {1} variant&apos;s are {2}.</source>
        <translation>Niemand wartet auf einen größeren Batch, und ein Schritt liest {0} Gewichte; die der Variante {1} sind {2}.</translation>
    </message>
    <message>
        <source>A step takes {0} and would need {1} at the measured limits, and enforce_eager is on: each kernel is launched by itself. CUDA graphs launch them together. In force after a reload.</source>
        <translation>Ein Schritt dauert {0} und bräuchte an den gemessenen Grenzen {1}, und enforce_eager ist an: Jeder Kernel wird einzeln gestartet. CUDA-Graphen starten sie zusammen. Gilt nach einem Neuladen.</translation>
    </message>
    <message>
        <source>Its capacity is {0}: more needs a reload.</source>
        <translation>Die Kapazität ist {0}: Mehr braucht ein Neuladen.</translation>
    </message>
</context>
<context>
    <name>RooflineFeed</name>
    <message>
        <source>Read the model&apos;s weights</source>
        <translation>Gewichte des Modells lesen</translation>
    </message>
</context>
<context>
    <name>RooflinePage</name>
    <message>
        <source>What the roofline tells</source>
        <translation>Was die Roofline sagt</translation>
    </message>
    <message>
        <source>How close to the limit</source>
        <translation>Wie nah an der Grenze</translation>
    </message>
</context>
<context>
    <name>RooflinePlot</name>
    <message>
        <source>Roofline</source>
        <translation>Roofline</translation>
    </message>
    <message>
        <source>arithmetic intensity, FLOP per byte</source>
        <translation>arithmetische Intensität, FLOP je Byte</translation>
    </message>
</context>
<context>
    <name>RunControl</name>
    <message>
        <source>No model is loaded. Load one; then the load can be sent.</source>
        <translation>Kein Modell ist geladen. Laden Sie eines; dann kann die Last geschickt werden.</translation>
    </message>
    <message>
        <source>How long it takes is known after the first answers.</source>
        <translation>Wie lange es dauert, ist nach den ersten Antworten bekannt.</translation>
    </message>
    <message>
        <source>It will take about {time}.</source>
        <translation>Es wird etwa {time} dauern.</translation>
    </message>
    <message>
        <source>Distribution</source>
        <translation>Verteilung</translation>
    </message>
</context>
<context>
    <name>RunHead</name>
    <message>
        <source>Progress of the load</source>
        <translation>Fortschritt der Last</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>stopping…</source>
        <translation>wird angehalten …</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} von {total}</translation>
    </message>
    <message>
        <source>{done} done</source>
        <translation>{done} fertig</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>noch {time}</translation>
    </message>
</context>
<context>
    <name>RunPage</name>
    <message>
        <source>Start the load</source>
        <translation>Last starten</translation>
    </message>
    <message>
        <source>Measure this engine</source>
        <translation>Diese Engine messen</translation>
    </message>
    <message>
        <source>A load is sent from a process of its own, as users&apos; programs would send it. Its charts and figures will be here, and every run is kept.</source>
        <translation>Eine Last wird aus einem eigenen Prozess geschickt, wie Programme von Nutzern es täten. Ihre Diagramme und Kennzahlen stehen dann hier, und jeder Lauf wird aufbewahrt.</translation>
    </message>
    <message>
        <source>A load is being sent</source>
        <translation>Eine Last wird geschickt</translation>
    </message>
</context>
<context>
    <name>RunView</name>
    <message>
        <source>View of the run</source>
        <translation>Ansicht des Laufs</translation>
    </message>
    <message>
        <source>Over time</source>
        <translation>Zeitverlauf</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>Kennzahlen</translation>
    </message>
    <message>
        <source>Distributions</source>
        <translation>Verteilungen</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>No request has ended yet.</source>
        <translation>Noch keine Anfrage ist zu Ende.</translation>
    </message>
    <message>
        <source>The gaps between tokens are counted once the run is over.</source>
        <translation>Die Lücken zwischen Tokens werden gezählt, sobald der Lauf vorbei ist.</translation>
    </message>
    <message>
        <source>Nothing was measured of this.</source>
        <translation>Davon wurde nichts gemessen.</translation>
    </message>
    <message>
        <source>Of {all} requests {shown} are shown; all of them are kept.</source>
        <translation>Von {all} Anfragen sind {shown} zu sehen; behalten sind alle.</translation>
    </message>
    <message>
        <source>Nothing was measured.</source>
        <translation>Nichts wurde gemessen.</translation>
    </message>
    <message>
        <source>The first figures come about a second after the first request.</source>
        <translation>Die ersten Zahlen kommen etwa eine Sekunde nach der ersten Anfrage.</translation>
    </message>
</context>
<context>
    <name>RunsControl</name>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Report with pictures (*.html)</source>
        <translation>Bericht mit Bildern (*.html)</translation>
    </message>
    <message>
        <source>Baseline for kvdeck bench (*.baseline)</source>
        <translation>Vergleichsmaß für kvdeck bench (*.baseline)</translation>
    </message>
    <message>
        <source>Export runs</source>
        <translation>Läufe exportieren</translation>
    </message>
</context>
<context>
    <name>RunsModel</name>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Goodput</source>
        <translation>Goodput</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notizen</translation>
    </message>
</context>
<context>
    <name>RunsPage</name>
    <message>
        <source>Filter runs</source>
        <translation>Läufe filtern</translation>
    </message>
    <message>
        <source>Undo the deletion ({count})</source>
        <translation>Löschen rückgängig machen ({count})</translation>
    </message>
    <message>
        <source>No baseline</source>
        <translation>Kein Vergleichsmaß</translation>
    </message>
    <message>
        <source>Baseline</source>
        <translation>Vergleichsmaß</translation>
    </message>
    <message>
        <source>Comparing…</source>
        <translation>Wird verglichen …</translation>
    </message>
    <message>
        <source>Choose two or more runs (Ctrl or Shift and a click) to compare them here. The first is the oldest one, or the one marked as baseline.</source>
        <translation>Wählen Sie zwei oder mehr Läufe (Strg oder Umschalt und Klick), um sie hier zu vergleichen. Der erste ist der älteste oder der als Vergleichsmaß markierte.</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Its charts, figures, distributions and requests</source>
        <translation>Seine Diagramme, Kennzahlen, Verteilungen und Anfragen</translation>
    </message>
    <message>
        <source>Use its load</source>
        <translation>Last übernehmen</translation>
    </message>
    <message>
        <source>Fill the set-up with this run&apos;s load, to send it again</source>
        <translation>Die Einstellungen mit der Last dieses Laufs füllen, um sie noch einmal zu schicken</translation>
    </message>
    <message>
        <source>What later runs are compared with; kvdeck bench --baseline repeats it</source>
        <translation>Womit spätere Läufe verglichen werden; kvdeck bench --baseline wiederholt ihn</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren …</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Takes the chosen runs off the list; they can be brought back for an hour</source>
        <translation>Nimmt die gewählten Läufe von der Liste; eine Stunde lang sind sie zurückzuholen</translation>
    </message>
    <message>
        <source>Notes on this run</source>
        <translation>Notizen zu diesem Lauf</translation>
    </message>
    <message>
        <source>View of the comparison</source>
        <translation>Ansicht des Vergleichs</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>Unterschiede</translation>
    </message>
    <message>
        <source>Over time</source>
        <translation>Zeitverlauf</translation>
    </message>
    <message>
        <source>Runs, kept and compared</source>
        <translation>Läufe, aufbewahrt und verglichen</translation>
    </message>
    <message>
        <source>Each load that is sent will be here, with what it was measured on. Send one from the first page.</source>
        <translation>Jede geschickte Last steht dann hier, mit dem, worauf sie gemessen wurde. Schicken Sie eine von der ersten Seite.</translation>
    </message>
    <message>
        <source>Set up a load</source>
        <translation>Last einrichten</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
</context>
<context>
    <name>SamplesModel</name>
    <message>
        <source>Ended</source>
        <translation>Beendet</translation>
    </message>
    <message>
        <source>Sent at</source>
        <translation>Geschickt bei</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Cached</source>
        <translation>Aus Cache</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>successful</source>
        <translation>erfolgreich</translation>
    </message>
    <message>
        <source>incomplete</source>
        <translation>unvollständig</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
</context>
<context>
    <name>ScrubberBar</name>
    <message>
        <source>The picture before (Ctrl+Left)</source>
        <translation>Voriges Bild (Strg+Links)</translation>
    </message>
    <message>
        <source>Play (Ctrl+Space)</source>
        <translation>Abspielen (Strg+Leertaste)</translation>
    </message>
    <message>
        <source>The next picture (Ctrl+Right)</source>
        <translation>Nächstes Bild (Strg+Rechts)</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Geschwindigkeit</translation>
    </message>
    <message>
        <source>Recorded seconds a second</source>
        <translation>Aufgezeichnete Sekunden je Sekunde</translation>
    </message>
    <message>
        <source>In step with the other recording</source>
        <translation>Im Gleichschritt mit der anderen Aufzeichnung</translation>
    </message>
    <message>
        <source>Pause (Ctrl+Space)</source>
        <translation>Anhalten (Strg+Leertaste)</translation>
    </message>
    <message>
        <source>recorded {when}</source>
        <translation>aufgezeichnet {when}</translation>
    </message>
    <message>
        <source>{text} · cut off</source>
        <translation>{text} · abgebrochen</translation>
    </message>
</context>
<context>
    <name>ScrubberTrack</name>
    <message>
        <source>Place in the recording</source>
        <translation>Stelle in der Aufzeichnung</translation>
    </message>
    <message>
        <source>{seconds} s</source>
        <translation>{seconds} s</translation>
    </message>
    <message>
        <source>running {0}, waiting {1}</source>
        <translation>{0} laufen, {1} warten</translation>
    </message>
    <message>
        <source>preemptions: {0}</source>
        <translation>Verdrängungen: {0}</translation>
    </message>
    <message>
        <source>limits changed</source>
        <translation>Grenzen geändert</translation>
    </message>
</context>
<context>
    <name>SearchControl</name>
    <message>
        <source>Let it search</source>
        <translation>Suchen lassen</translation>
    </message>
    <message>
        <source>The tuner finds the parameters with the most goodput under your SLOs, shows what it tried and why, and puts back what was in force before. A click applies a point.</source>
        <translation>Der Tuner findet die Parameter mit dem meisten Goodput unter Ihren SLOs, zeigt, was er warum versucht hat, und stellt wieder her, was vorher galt. Ein Klick wendet einen Punkt an.</translation>
    </message>
    <message>
        <source>Start the search</source>
        <translation>Suche beginnen</translation>
    </message>
    <message>
        <source>{load} (set it up on the first page)</source>
        <translation>{load} (auf der ersten Seite einzustellen)</translation>
    </message>
    <message>
        <source>No model is loaded. Load one first.</source>
        <translation>Kein Modell ist geladen. Laden Sie zuerst eines.</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>cut short</source>
        <translation>unterbrochen</translation>
    </message>
</context>
<context>
    <name>SearchForm</name>
    <message>
        <source>Set-up of the search</source>
        <translation>Einstellungen der Suche</translation>
    </message>
    <message>
        <source>What is done</source>
        <translation>Was getan wird</translation>
    </message>
    <message>
        <source>Tune</source>
        <translation>Abstimmen</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>Raster</translation>
    </message>
    <message>
        <source>A or B</source>
        <translation>A oder B</translation>
    </message>
    <message>
        <source>What counts</source>
        <translation>Was zählt</translation>
    </message>
    <message>
        <source>goodput, else output tokens</source>
        <translation>Goodput, sonst Ausgabe-Tokens</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>automatisch</translation>
    </message>
    <message>
        <source>Work, in runs</source>
        <translation>Arbeit, in Läufen</translation>
    </message>
    <message>
        <source>As much work as so many whole runs of the load, spent on more and shorter runs. Empty: a fifth of the grid, at least 6.</source>
        <translation>So viel Arbeit wie so viele ganze Läufe der Last, auf mehr und kürzere Läufe verteilt. Leer: ein Fünftel des Gitters, mindestens 6.</translation>
    </message>
    <message>
        <source>Runs of each point</source>
        <translation>Läufe je Punkt</translation>
    </message>
    <message>
        <source>Pairs of runs</source>
        <translation>Paare von Läufen</translation>
    </message>
    <message>
        <source>A and B run in turns, so that a drift of the machine hits both.</source>
        <translation>A und B laufen abwechselnd, damit ein Driften des Rechners beide trifft.</translation>
    </message>
    <message>
        <source>Longest time</source>
        <translation>Längste Zeit</translation>
    </message>
    <message>
        <source>min</source>
        <translation>min</translation>
    </message>
    <message>
        <source>any</source>
        <translation>frei</translation>
    </message>
    <message>
        <source>May reload the model</source>
        <translation>Darf das Modell neu laden</translation>
    </message>
    <message>
        <source>Live parameters come first; each value of another one costs a reload.</source>
        <translation>Live-Parameter kommen zuerst; jeder Wert eines anderen kostet ein Neuladen.</translation>
    </message>
    <message>
        <source>Points in the grid: {count}</source>
        <translation>Punkte im Raster: {count}</translation>
    </message>
    <message>
        <source>Finds the best setting in a fraction of a sweep&apos;s time, and says why it tried each.</source>
        <translation>Findet die beste Einstellung in einem Bruchteil der Zeit, in der sich alle messen ließen, und sagt, warum es jede versucht hat.</translation>
    </message>
    <message>
        <source>Runs of work at most</source>
        <translation>Arbeit, höchstens Läufe</translation>
    </message>
    <message>
        <source>Measures every point of the grid: slow, and the whole picture.</source>
        <translation>Misst jeden Punkt des Rasters: langsam, und das ganze Bild.</translation>
    </message>
    <message>
        <source>Two settings in turns on the same load, with a confidence interval.</source>
        <translation>Zwei Einstellungen abwechselnd unter derselben Last, mit Konfidenzintervall.</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Last</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Time at most</source>
        <translation>Höchstens Zeit</translation>
    </message>
</context>
<context>
    <name>SearchView</name>
    <message>
        <source>Apply it</source>
        <translation>Anwenden</translation>
    </message>
    <message>
        <source>Roll back</source>
        <translation>Zurückrollen</translation>
    </message>
    <message>
        <source>Puts back {setting}</source>
        <translation>Stellt {setting} wieder her</translation>
    </message>
    <message>
        <source>Tuner</source>
        <translation>Tuner</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>Raster</translation>
    </message>
    <message>
        <source>A or B</source>
        <translation>A oder B</translation>
    </message>
    <message>
        <source>Formats</source>
        <translation>Formate</translation>
    </message>
    <message>
        <source>The first point comes with the first trial.</source>
        <translation>Der erste Punkt kommt mit dem ersten Versuch.</translation>
    </message>
    <message>
        <source>Nothing was measured.</source>
        <translation>Nichts wurde gemessen.</translation>
    </message>
    <message>
        <source>Choose a point or a trial to apply it.</source>
        <translation>Wählen Sie einen Punkt oder Versuch, um ihn anzuwenden.</translation>
    </message>
</context>
<context>
    <name>SecondReplay</name>
    <message>
        <source>{file} cannot be shown.</source>
        <translation>{file} ist nicht zu zeigen.</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>Schriftgröße</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Motion</source>
        <translation>Bewegung</translation>
    </message>
    <message>
        <source>Frames per second</source>
        <translation>Bilder je Sekunde</translation>
    </message>
    <message>
        <source>Port of the engine host</source>
        <translation>Port des Engine-Hosts</translation>
    </message>
    <message>
        <source>Outgoing model</source>
        <translation>Abgelöstes Modell</translation>
    </message>
    <message>
        <source>Waiting models</source>
        <translation>Wartende Modelle</translation>
    </message>
    <message>
        <source>Language and port take effect when KVDeck starts next. Port 0 lets the system choose a free one.</source>
        <translation>Sprache und Port gelten ab dem nächsten Start von KVDeck. Port 0 lässt das System einen freien wählen.</translation>
    </message>
    <message>
        <source>as the system</source>
        <translation>wie das System</translation>
    </message>
    <message>
        <source>dark</source>
        <translation>dunkel</translation>
    </message>
    <message>
        <source>light</source>
        <translation>hell</translation>
    </message>
    <message>
        <source>Reduce motion: no glow, no fading</source>
        <translation>Weniger Bewegung: kein Leuchten, kein Verblassen</translation>
    </message>
</context>
<context>
    <name>ShortcutsDialog</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
</context>
<context>
    <name>SleeperCommands</name>
    <message>
        <source>Put to sleep</source>
        <translation>Schlafen legen</translation>
    </message>
    <message>
        <source>Wake</source>
        <translation>Wecken</translation>
    </message>
    <message>
        <source>End a waiting engine</source>
        <translation>Wartende Engine beenden</translation>
    </message>
    <message>
        <source>Measure the waiting engines</source>
        <translation>Wartende Engines messen</translation>
    </message>
</context>
<context>
    <name>SleeperTray</name>
    <message>
        <source>Models that wait</source>
        <translation>Wartende Modelle</translation>
    </message>
    <message>
        <source>Waiting models</source>
        <translation>Wartende Modelle</translation>
    </message>
    <message>
        <source>End all</source>
        <translation>Alle beenden</translation>
    </message>
    <message>
        <source>End all models that wait, and give their memory back</source>
        <translation>Alle wartenden Modelle beenden und ihren Speicher zurückgeben</translation>
    </message>
    <message>
        <source>The next model that you switch away from waits here.</source>
        <translation>Das nächste Modell, von dem Sie wechseln, wartet hier.</translation>
    </message>
</context>
<context>
    <name>Sleepers</name>
    <message>
        <source>asleep</source>
        <translation>schläft</translation>
    </message>
    <message>
        <source>kept in RAM</source>
        <translation>im RAM behalten</translation>
    </message>
    <message>
        <source>{size} RAM</source>
        <translation>{size} RAM</translation>
    </message>
    <message>
        <source>{size} VRAM</source>
        <translation>{size} VRAM</translation>
    </message>
    <message>
        <source>Waits since {time}; fell asleep in {span}.</source>
        <translation>Wartet seit {time}; schlief ein in {span}.</translation>
    </message>
    <message>
        <source>Last used at {time}.</source>
        <translation>Zuletzt genutzt um {time}.</translation>
    </message>
    <message>
        <source>Gave back {size} of VRAM.</source>
        <translation>Gab {size} VRAM zurück.</translation>
    </message>
    <message>
        <source>Warm: {how}. A click wakes it.</source>
        <translation>Warm: {how}. Ein Klick weckt es.</translation>
    </message>
    <message>
        <source>{count} of {most} · {held} of {limit} RAM</source>
        <translation>{count} von {most} · {held} von {limit} RAM</translation>
    </message>
    <message>
        <source>Switched in {all}: {sleep} until the other one rested, {wake} to wake, {token} to a token.</source>
        <translation>Gewechselt in {all}: {sleep}, bis das andere ruhte, {wake} zum Wecken, {token} bis zu einem Token.</translation>
    </message>
    <message>
        <source>Its first token is the same as before its sleep.</source>
        <translation>Sein erstes Token ist dasselbe wie vor dem Schlaf.</translation>
    </message>
    <message>
        <source>Its first token is another one than before its sleep.</source>
        <translation>Sein erstes Token ist ein anderes als vor dem Schlaf.</translation>
    </message>
</context>
<context>
    <name>SpeculationCard</name>
    <message>
        <source>Measure against off</source>
        <translation>Gegen „aus“ messen</translation>
    </message>
    <message>
        <source>Sends the same small load with and without speculation, three times each. The engine is reloaded between, and is afterwards as it was.</source>
        <translation>Sendet dieselbe kleine Last mit und ohne Spekulation, je dreimal. Die Engine wird dazwischen neu geladen und ist danach wieder, wie sie war.</translation>
    </message>
    <message>
        <source>No draft was checked yet.</source>
        <translation>Noch wurde kein Entwurf geprüft.</translation>
    </message>
    <message>
        <source>Since the load {share} of the drafted tokens were accepted; none lately.</source>
        <translation>Seit dem Laden wurden {share} der entworfenen Token angenommen; zuletzt keine.</translation>
    </message>
    <message>
        <source>{share} of the drafted tokens accepted, {length} tokens a step</source>
        <translation>{share} der entworfenen Token angenommen, {length} Token je Schritt</translation>
    </message>
    <message>
        <source>The comparison ended before it could tell.</source>
        <translation>Der Vergleich endete, bevor er etwas sagen konnte.</translation>
    </message>
    <message>
        <source>{on} against {off} tokens/s, {ratio} times ({low} to {high})</source>
        <translation>{on} gegen {off} Token/s, das {ratio}-Fache ({low} bis {high})</translation>
    </message>
    <message>
        <source>Faster than without: {numbers}.</source>
        <translation>Schneller als ohne: {numbers}.</translation>
    </message>
    <message>
        <source>Slower than without: {numbers}. Guess fewer tokens, or switch it off.</source>
        <translation>Langsamer als ohne: {numbers}. Weniger Token raten, oder sie abschalten.</translation>
    </message>
    <message>
        <source>No difference is shown: {numbers}.</source>
        <translation>Kein Unterschied ist erwiesen: {numbers}.</translation>
    </message>
</context>
<context>
    <name>SpeculationField</name>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>as JSON</source>
        <translation>als JSON</translation>
    </message>
    <message>
        <source>Tokens guessed a step</source>
        <translation>Geratene Token je Schritt</translation>
    </message>
    <message>
        <source>Shortest n-gram looked up</source>
        <translation>Kürzestes gesuchtes N-Gramm</translation>
    </message>
    <message>
        <source>Longest n-gram looked up</source>
        <translation>Längstes gesuchtes N-Gramm</translation>
    </message>
    <message>
        <source>draft</source>
        <translation>Entwurf</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>n-gram</source>
        <translation>N-Gramm</translation>
    </message>
    <message>
        <source>{}: method</source>
        <translation>{}: Verfahren</translation>
    </message>
    <message>
        <source>{}: draft checkpoint</source>
        <translation>{}: Entwurfsmodell</translation>
    </message>
    <message>
        <source>{} as JSON</source>
        <translation>{} als JSON</translation>
    </message>
    <message>
        <source>n-grams of the request</source>
        <translation>N-Gramme der Anfrage</translation>
    </message>
    <message>
        <source>draft model</source>
        <translation>Entwurfsmodell</translation>
    </message>
    <message>
        <source>the model&apos;s own layers (MTP)</source>
        <translation>eigene Schichten des Modells (MTP)</translation>
    </message>
    <message>
        <source>Looking for checkpoints that fit…</source>
        <translation>Passende Checkpoints werden gesucht …</translation>
    </message>
    <message>
        <source>Choose the draft.</source>
        <translation>Wählen Sie das Entwurfsmodell.</translation>
    </message>
    <message>
        <source>No checkpoint of the library fits: {}</source>
        <translation>Kein Checkpoint der Bibliothek passt: {}</translation>
    </message>
    <message>
        <source>The library has no checkpoint for {}.</source>
        <translation>Die Bibliothek hat keinen Checkpoint für {}.</translation>
    </message>
</context>
<context>
    <name>StageLine</name>
    <message>
        <source>Loading</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Stop this load and end its processes</source>
        <translation>Dieses Laden anhalten und seine Prozesse beenden</translation>
    </message>
    <message>
        <source>Ending the engine and giving its memory back</source>
        <translation>Die Engine endet und gibt ihren Speicher zurück</translation>
    </message>
</context>
<context>
    <name>StageTrack</name>
    <message>
        <source>{taken} of {expected}</source>
        <translation>{taken} von {expected}</translation>
    </message>
</context>
<context>
    <name>Stages</name>
    <message>
        <source>putting to sleep</source>
        <translation>schlafen legen</translation>
    </message>
    <message>
        <source>waking</source>
        <translation>aufwecken</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>starten</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>compiling</source>
        <translation>kompilieren</translation>
    </message>
    <message>
        <source>memory profiling</source>
        <translation>Speicher messen</translation>
    </message>
    <message>
        <source>graph capture</source>
        <translation>Graphen aufnehmen</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV-Cache</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>erstes Token</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>bereit</translation>
    </message>
</context>
<context>
    <name>Stalls</name>
    <message>
        <source>nothing is scheduled any more while requests wait: {0}, for {1} so far</source>
        <translation>nichts wird mehr eingeplant, während Anfragen warten: {0}, bisher seit {1}</translation>
    </message>
    <message>
        <source>nothing was scheduled while requests waited: {0}, for {1}</source>
        <translation>nichts wurde eingeplant, während Anfragen warteten: {0}, {1} lang</translation>
    </message>
    <message>
        <source>a request</source>
        <translation>eine Anfrage</translation>
    </message>
    <message>
        <source>{0} is first and can never fit</source>
        <translation>{0} ist die erste und passt nie hinein</translation>
    </message>
    <message>
        <source>no free blocks for {0}, which is first</source>
        <translation>keine freien Blöcke für {0}, die erste</translation>
    </message>
    <message>
        <source>first is {0}, and the scheduler does not say why</source>
        <translation>die erste ist {0}, und der Scheduler sagt nicht, warum</translation>
    </message>
    <message>
        <source>{0} steps took {1}, the longest {2}, {3} times the median of {4}</source>
        <translation>{0} Schritte dauerten {1}, der längste {2}, das {3}-Fache des Medians von {4}</translation>
    </message>
    <message>
        <source>took {0}, {1} times the median of {2}</source>
        <translation>dauerte {0}, das {1}-Fache des Medians von {2}</translation>
    </message>
    <message>
        <source>{0} tokens were computed, prefill most of all; the median of a step is {1}</source>
        <translation>{0} Token wurden berechnet, vor allem Prefill; der Median eines Schritts ist {1}</translation>
    </message>
    <message>
        <source>requests were preempted meanwhile</source>
        <translation>Anfragen wurden dabei verdrängt</translation>
    </message>
    <message>
        <source>admitted: {0}</source>
        <translation>zugelassen: {0}</translation>
    </message>
    <message>
        <source>the scheduler saw no reason ({0} tokens): the model or the machine was slow</source>
        <translation>der Scheduler sah keinen Grund ({0} Token): Das Modell oder der Rechner war langsam</translation>
    </message>
</context>
<context>
    <name>StarterCard</name>
    <message>
        <source>Starter model</source>
        <translation>Startmodell</translation>
    </message>
    <message>
        <source>Its AWQ, GPTQ, FP8 and INT8 variants are calibrated after it, in about ten minutes on two cores, and take 0.8 GB in all. Nothing is downloaded. Apache-2.0.</source>
        <translation>Die Fassungen AWQ, GPTQ, FP8 und INT8 werden danach kalibriert, in etwa zehn Minuten auf zwei Kernen, und brauchen zusammen 0,8 GB. Nichts wird heruntergeladen. Apache-2.0.</translation>
    </message>
    <message>
        <source>Building the starter model</source>
        <translation>Startmodell wird gebaut</translation>
    </message>
    <message>
        <source>Stop building</source>
        <translation>Bau anhalten</translation>
    </message>
    <message>
        <source>What is built stays; building can go on later from there.</source>
        <translation>Was gebaut ist, bleibt; der Bau kann später von dort weitergehen.</translation>
    </message>
    <message>
        <source>SmolLM2-135M-Instruct is not built completely. What is there can be used already.</source>
        <translation>SmolLM2-135M-Instruct ist nicht fertig gebaut. Was da ist, lässt sich schon benutzen.</translation>
    </message>
    <message>
        <source>SmolLM2-135M-Instruct, to begin with: 98 MB, installed already, usable in about a minute.</source>
        <translation>SmolLM2-135M-Instruct für den Anfang: 98 MB, schon installiert, in etwa einer Minute benutzbar.</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal versuchen</translation>
    </message>
    <message>
        <source>Go on building</source>
        <translation>Weiterbauen</translation>
    </message>
    <message>
        <source>Build the starter model</source>
        <translation>Startmodell bauen</translation>
    </message>
    <message>
        <source>beginning</source>
        <translation>beginnt</translation>
    </message>
    <message>
        <source>about {} more</source>
        <translation>noch etwa {}</translation>
    </message>
</context>
<context>
    <name>StateLight</name>
    <message>
        <source>{state} in {span}</source>
        <translation>{state} in {span}</translation>
    </message>
    <message>
        <source>{state} · no answer for {seconds} s</source>
        <translation>{state} · seit {seconds} s keine Antwort</translation>
    </message>
    <message>
        <source>{state} · no step for {seconds} s</source>
        <translation>{state} · seit {seconds} s kein Schritt</translation>
    </message>
    <message>
        <source>Engine: {state}</source>
        <translation>Engine: {state}</translation>
    </message>
    <message>
        <source>The engine host says nothing. It may be busy; in a while it counts as lost.</source>
        <translation>Der Engine-Host schweigt. Vielleicht ist er beschäftigt; nach einer Weile gilt er als verloren.</translation>
    </message>
    <message>
        <source>The engine has requests, and makes no step. Where that stays so, load it anew.</source>
        <translation>Die Engine hat Anfragen und macht keinen Schritt. Bleibt das so, das Modell neu laden.</translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source>running</source>
        <translation>laufend</translation>
    </message>
    <message>
        <source>Requests that the scheduler runs in its present step.</source>
        <translation>Anfragen, die der Scheduler im jetzigen Schritt rechnet.</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartend</translation>
    </message>
    <message>
        <source>Requests that wait for room in the batch.</source>
        <translation>Anfragen, die auf Platz im Batch warten.</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV-Cache</translation>
    </message>
    <message>
        <source>Share of the KV cache&apos;s blocks that requests own, as vLLM counts it.</source>
        <translation>Anteil der Blöcke des KV-Caches, die Anfragen gehören, wie vLLM ihn zählt.</translation>
    </message>
    <message>
        <source>VRAM</source>
        <translation>VRAM</translation>
    </message>
    <message>
        <source>Memory in use, of all there is.</source>
        <translation>Belegter Speicher, von allem, was da ist.</translation>
    </message>
    <message>
        <source>output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>Generated tokens per second over the last seconds, all requests.</source>
        <translation>Erzeugte Tokens je Sekunde in den letzten Sekunden, alle Anfragen zusammen.</translation>
    </message>
    <message>
        <source>TTFT p50</source>
        <translation>TTFT p50</translation>
    </message>
    <message>
        <source>Median time from a request&apos;s start to its first token, over the last seconds&apos; requests.</source>
        <translation>Median der Zeit vom Beginn einer Anfrage bis zu ihrem ersten Token, über die Anfragen der letzten Sekunden.</translation>
    </message>
    <message>
        <source>Show the log (Ctrl+Shift+L)</source>
        <translation>Protokoll zeigen (Strg+Umschalt+L)</translation>
    </message>
    <message>
        <source>tok</source>
        <translation>Tok</translation>
    </message>
    <message>
        <source>RAM</source>
        <translation>RAM</translation>
    </message>
</context>
<context>
    <name>StepChart</name>
    <message>
        <source>Chart of scheduler steps</source>
        <translation>Diagramm der Scheduler-Schritte</translation>
    </message>
    <message>
        <source>Each scheduler step will be a bar here.</source>
        <translation>Jeder Scheduler-Schritt wird hier ein Balken.</translation>
    </message>
    <message>
        <source>tokens a step</source>
        <translation>Tokens je Schritt</translation>
    </message>
    <message>
        <source>batch size</source>
        <translation>Batchgröße</translation>
    </message>
    <message>
        <source>step time, ms</source>
        <translation>Schrittdauer, ms</translation>
    </message>
    <message>
        <source>budget {0}</source>
        <translation>Budget {0}</translation>
    </message>
</context>
<context>
    <name>SwitchField</name>
    <message>
        <source>on</source>
        <translation>ein</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
</context>
<context>
    <name>Tasks</name>
    <message>
        <source>The log has the details.</source>
        <translation>Einzelheiten stehen im Protokoll.</translation>
    </message>
</context>
<context>
    <name>TextField</name>
    <message>
        <source>auto</source>
        <translation>auto</translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>{0} s</source>
        <translation>{0} s</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>prefill, a bar a chunk</source>
        <translation>Prefill, ein Balken je Stück</translation>
    </message>
    <message>
        <source>decode</source>
        <translation>Decode</translation>
    </message>
    <message>
        <source>preempted</source>
        <translation>verdrängt</translation>
    </message>
    <message>
        <source>computed again</source>
        <translation>neu berechnet</translation>
    </message>
    <message>
        <source>{0} prompt ({1} from the cache) + {2} output</source>
        <translation>{0} Eingabe ({1} aus dem Cache) + {2} Ausgabe</translation>
    </message>
    <message>
        <source>TTFT {0}</source>
        <translation>TTFT {0}</translation>
    </message>
    <message>
        <source>done after {0}</source>
        <translation>fertig nach {0}</translation>
    </message>
    <message>
        <source>for {0} so far</source>
        <translation>bisher {0}</translation>
    </message>
    <message>
        <source>preempted {0}×, {1} tokens computed again</source>
        <translation>{0}× verdrängt, {1} Token neu berechnet</translation>
    </message>
    <message>
        <source>step {0}</source>
        <translation>Schritt {0}</translation>
    </message>
    <message>
        <source>steps {0}–{1}, mean</source>
        <translation>Schritte {0}–{1}, Mittel</translation>
    </message>
    <message>
        <source>longest {0}</source>
        <translation>längster {0}</translation>
    </message>
    <message>
        <source>{0} prefill + {1} decode of {2}</source>
        <translation>{0} Prefill + {1} Decode von {2}</translation>
    </message>
    <message>
        <source>{0} running of {1}, {2} waiting</source>
        <translation>{0} von {1} laufen, {2} warten</translation>
    </message>
    <message>
        <source>preempted: {0}</source>
        <translation>verdrängt: {0}</translation>
    </message>
    <message>
        <source>{requests} requests took {busy} of engine time; static batches of {size} would take {static} ({saved}). Mean latency {latency}, static {static_latency}.</source>
        <translation>{requests} Anfragen brauchten {busy} Rechenzeit; statische Stapel von {size} bräuchten {static} ({saved}). Mittlere Latenz {latency}, statisch {static_latency}.</translation>
    </message>
    <message>
        <source>The same requests, arriving when they did, on this engine&apos;s own step times: {step} a step, {prefill} a prefill token, {decode} a decode token (least squares over the steps that ran). A static batch takes whoever waits, up to {size}, and nobody else until its last request is done. Nothing is padded.</source>
        <translation>Dieselben Anfragen, zu ihrer Zeit eingetroffen, mit den Schrittzeiten dieser Engine: {step} je Schritt, {prefill} je Prefill-Token, {decode} je Decode-Token (kleinste Quadrate über die gelaufenen Schritte). Ein statischer Stapel nimmt, wer wartet, bis zu {size}, und niemanden sonst, bis seine letzte Anfrage fertig ist. Nichts wird aufgefüllt.</translation>
    </message>
</context>
<context>
    <name>TimelineExports</name>
    <message>
        <source>Export</source>
        <translation>Export</translation>
    </message>
    <message>
        <source>{file} could not be written: {reason}.</source>
        <translation>{file} ließ sich nicht schreiben: {reason}.</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation>Wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
        <source>Lines written to {file}: {count}</source>
        <translation>Zeilen in {file} geschrieben: {count}</translation>
    </message>
</context>
<context>
    <name>TimelinePanel</name>
    <message>
        <source>Requests over time</source>
        <translation>Anfragen im Zeitverlauf</translation>
    </message>
    <message>
        <source>Each request will be a lane here, from the queue to the last token. Load a model and ask it.</source>
        <translation>Jede Anfrage wird hier eine Bahn, von der Warteschlange bis zum letzten Token. Laden Sie ein Modell und fragen Sie es.</translation>
    </message>
    <message>
        <source>Preparing the charts…</source>
        <translation>Die Diagramme werden vorbereitet …</translation>
    </message>
    <message>
        <source>Reading the recording…</source>
        <translation>Die Aufzeichnung wird gelesen …</translation>
    </message>
    <message>
        <source>All of its requests and steps will be here.</source>
        <translation>Alle ihre Anfragen und Schritte werden hier stehen.</translation>
    </message>
    <message>
        <source>Show all that is kept</source>
        <translation>Alles zeigen</translation>
    </message>
    <message>
        <source>Follow the newest step</source>
        <translation>Dem neuesten Schritt folgen</translation>
    </message>
    <message>
        <source>Static batches for comparison</source>
        <translation>Statische Stapel zum Vergleich</translation>
    </message>
    <message>
        <source>Go to what is chosen</source>
        <translation>Zum Ausgewählten gehen</translation>
    </message>
    <message>
        <source>The slowest requests…</source>
        <translation>Die langsamsten Anfragen …</translation>
    </message>
    <message>
        <source>Go to the longest step</source>
        <translation>Zum längsten Schritt</translation>
    </message>
    <message>
        <source>Export the steps as CSV…</source>
        <translation>Schritte als CSV exportieren …</translation>
    </message>
    <message>
        <source>Export the requests as CSV…</source>
        <translation>Anfragen als CSV exportieren …</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitverlauf</translation>
    </message>
    <message>
        <source>Point at a lane or a step; a click chooses the request.</source>
        <translation>Zeigen Sie auf eine Bahn oder einen Schritt; ein Klick wählt die Anfrage.</translation>
    </message>
</context>
<context>
    <name>TimelineToolbar</name>
    <message>
        <source>The slowest requests: their steps and blocks</source>
        <translation>Die langsamsten Anfragen: ihre Schritte und Blöcke</translation>
    </message>
    <message>
        <source>Show where static batches would have each request (S)</source>
        <translation>Zeigen, wo statische Stapel jede Anfrage hätten (S)</translation>
    </message>
    <message>
        <source>Show all that is kept (0)</source>
        <translation>Alles zeigen (0)</translation>
    </message>
    <message>
        <source>Follow the newest step (End)</source>
        <translation>Dem neuesten Schritt folgen (Ende)</translation>
    </message>
</context>
<context>
    <name>TimelineView</name>
    <message>
        <source>Timeline of requests and steps</source>
        <translation>Zeitverlauf von Anfragen und Schritten</translation>
    </message>
    <message>
        <source>tokens a step, budget {0}</source>
        <translation>Token je Schritt, Budget {0}</translation>
    </message>
    <message>
        <source>{0} (mean of lots)</source>
        <translation>{0} (Mittel über mehrere)</translation>
    </message>
    <message>
        <source>running, waiting</source>
        <translation>laufen, warten</translation>
    </message>
    <message>
        <source>step time, ms</source>
        <translation>Schrittzeit, ms</translation>
    </message>
    <message>
        <source>longest step, ms</source>
        <translation>längster Schritt, ms</translation>
    </message>
</context>
<context>
    <name>TrialsTable</name>
    <message>
        <source>Trials</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>Einstellung</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>Ausgabe</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>What came of it</source>
        <translation>Was daraus wurde</translation>
    </message>
    <message>
        <source>as it was</source>
        <translation>wie vorher</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>gemessen</translation>
    </message>
    <message>
        <source>ended early</source>
        <translation>früh beendet</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>abgelehnt</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
</context>
<context>
    <name>UndoBar</name>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>VariantChip</name>
    <message>
        <source>loading</source>
        <translation>lädt</translation>
    </message>
    <message>
        <source>running</source>
        <translation>laufend</translation>
    </message>
    <message>
        <source>could not be loaded</source>
        <translation>ließ sich nicht laden</translation>
    </message>
    <message>
        <source>warm</source>
        <translation>warm</translation>
    </message>
</context>
<context>
    <name>VersionSwitch</name>
    <message>
        <source>Earlier version</source>
        <translation>Frühere Fassung</translation>
    </message>
    <message>
        <source>Later version</source>
        <translation>Spätere Fassung</translation>
    </message>
</context>
<context>
    <name>WasteView</name>
    <message>
        <source>Waste in the KV cache</source>
        <translation>Verschnitt im KV-Cache</translation>
    </message>
    <message>
        <source>Paged, as it is</source>
        <translation>In Blöcken, wie es ist</translation>
    </message>
    <message>
        <source>Slots of the paged cache</source>
        <translation>Plätze des Cache in Blöcken</translation>
    </message>
    <message>
        <source>One piece of max_model_len a request</source>
        <translation>Ein Stück von max_model_len je Anfrage</translation>
    </message>
    <message>
        <source>Slots with contiguous reservation</source>
        <translation>Plätze bei zusammenhängender Reservierung</translation>
    </message>
    <message>
        <source>Waste is not measured for models of several KV-cache groups: their blocks differ.</source>
        <translation>Für Modelle mit mehreren KV-Cache-Gruppen wird kein Verschnitt gemessen: Ihre Blöcke sind verschieden.</translation>
    </message>
    <message>
        <source>On average over {0} with requests: {1} empty with paging, {2} lost in one piece a request. Requests that held blocks: {3}, at most {4}; in one piece each, {5} of them would have run, and never more than {6}.</source>
        <translation>Im Mittel über {0} mit Anfragen: {1} leer in Blöcken, {2} verloren in einem Stück je Anfrage. Anfragen mit Blöcken: {3}, höchstens {4}; in je einem Stück wären {5} davon gelaufen, und nie mehr als {6}.</translation>
    </message>
    <message>
        <source>filled</source>
        <translation>gefüllt</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>leer</translation>
    </message>
    <message>
        <source>cached</source>
        <translation>im Cache</translation>
    </message>
    <message>
        <source>free</source>
        <translation>frei</translation>
    </message>
    <message>
        <source>No request holds blocks now.</source>
        <translation>Derzeit hält keine Anfrage Blöcke.</translation>
    </message>
    <message>
        <source>{0} of the slots that requests hold are empty: {1} of {2}, all in last blocks of {3} slots. Requests held now: {4}; of their size, about {5} would fit.</source>
        <translation>{0} der Plätze, die Anfragen halten, sind leer: {1} von {2}, alle in letzten Blöcken zu {3} Plätzen. Anfragen jetzt: {4}; von ihrer Größe passten etwa {5}.</translation>
    </message>
    <message>
        <source>Sharing saves {0} slots more.</source>
        <translation>Teilen spart weitere {0} Plätze.</translation>
    </message>
    <message>
        <source>reserved</source>
        <translation>reserviert</translation>
    </message>
    <message>
        <source>internal</source>
        <translation>intern</translation>
    </message>
    <message>
        <source>external</source>
        <translation>extern</translation>
    </message>
    <message>
        <source>The whole cache has {0} slots: not one piece of {1} fits.</source>
        <translation>Der ganze Cache hat {0} Plätze: Nicht ein Stück von {1} passt.</translation>
    </message>
    <message>
        <source>{0} of the slots taken hold no token: {1} reserved for later tokens, {2} internal, {3} external. Pieces of {4} slots that fit: {5}; of the requests held now, {6} would run and {7} wait.</source>
        <translation>{0} der vergebenen Plätze halten kein Token: {1} für spätere Token reserviert, {2} intern, {3} extern. Stücke von {4} Plätzen, die passen: {5}; von den jetzigen Anfragen liefen {6}, und {7} warteten.</translation>
    </message>
</context>
<context>
    <name>WindowActions</name>
    <message>
        <source>Load or reload</source>
        <translation>Laden oder neu laden</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>Entladen</translation>
    </message>
    <message>
        <source>Put to sleep</source>
        <translation>Schlafen legen</translation>
    </message>
    <message>
        <source>Cancel the load</source>
        <translation>Laden abbrechen</translation>
    </message>
    <message>
        <source>Add a folder with checkpoints…</source>
        <translation>Ordner mit Checkpoints hinzufügen …</translation>
    </message>
    <message>
        <source>Build the starter model</source>
        <translation>Startmodell bauen</translation>
    </message>
    <message>
        <source>Drop all reusable prefixes</source>
        <translation>Alle wiederverwendbaren Präfixe verwerfen</translation>
    </message>
    <message>
        <source>Copy the server&apos;s address</source>
        <translation>Adresse des Servers kopieren</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Einstellungen …</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Send the message</source>
        <translation>Nachricht senden</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>Antwort anhalten</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Pause the live view, or go on</source>
        <translation>Live-Ansicht anhalten oder fortsetzen</translation>
    </message>
    <message>
        <source>Command palette…</source>
        <translation>Befehlspalette …</translation>
    </message>
    <message>
        <source>as the system</source>
        <translation>wie das System</translation>
    </message>
    <message>
        <source>dark</source>
        <translation>dunkel</translation>
    </message>
    <message>
        <source>light</source>
        <translation>hell</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>Schriftgröße</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>Größere Schrift</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>Kleinere Schrift</translation>
    </message>
    <message>
        <source>Normal text</source>
        <translation>Normale Schrift</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>Vollbild</translation>
    </message>
    <message>
        <source>Hide or show the side panels</source>
        <translation>Seitliche Bereiche aus- oder einblenden</translation>
    </message>
    <message>
        <source>Reset the layout</source>
        <translation>Anordnung zurücksetzen</translation>
    </message>
    <message>
        <source>User guide</source>
        <translation>Handbuch</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Open the folder with the log files</source>
        <translation>Ordner mit den Protokolldateien öffnen</translation>
    </message>
    <message>
        <source>About KVDeck</source>
        <translation>Über KVDeck</translation>
    </message>
    <message>
        <source>A folder with checkpoints</source>
        <translation>Ein Ordner mit Checkpoints</translation>
    </message>
    <message>
        <source>Load {name}</source>
        <translation>{name} laden</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
</context>
<context>
    <name>_Row</name>
    <message>
        <source>Wake</source>
        <translation>Wecken</translation>
    </message>
    <message>
        <source>End</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Wake {name}</source>
        <translation>{name} wecken</translation>
    </message>
    <message>
        <source>End {name}</source>
        <translation>{name} beenden</translation>
    </message>
    <message>
        <source>End {name}, and give its memory back</source>
        <translation>{name} beenden und seinen Speicher zurückgeben</translation>
    </message>
</context>
<context>
    <name>self._detail</name>
    <message>
        <source>Load</source>
        <translation>Laden</translation>
    </message>
</context>
</TS>

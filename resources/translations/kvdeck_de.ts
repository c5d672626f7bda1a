<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en_US">
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
        <source>{file} cannot be read.</source>
        <translation>{file} lässt sich nicht lesen.</translation>
    </message>
    <message>
        <source>Start again with the host&apos;s own key file.</source>
        <translation>Neu starten mit der Schlüsseldatei des Hosts.</translation>
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
        <source>A reload ends the {} requests that run.</source>
        <translation>Neu laden beendet die {} laufenden Anfragen.</translation>
    </message>
    <message>
        <source>Lowering frees no VRAM: buffers and KV cache keep the size they got at load.</source>
        <translation>Senken gibt keinen VRAM frei: Puffer und KV-Cache behalten die Größe vom Laden.</translation>
    </message>
</context>
<context>
    <name>BlockLegend</name>
    <message>
        <source>a colour a request</source>
        <translation>eine Farbe je Anfrage</translation>
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
        <source>Go on (Space)</source>
        <translation>Weiter (Leertaste)</translation>
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
        <source>{0}, group {1}</source>
        <translation>{0}, Gruppe {1}</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keiner</translation>
    </message>
    <message>
        <source>left behind by the window</source>
        <translation>hinter dem Fenster</translation>
    </message>
    <message>
        <source>prefix cache</source>
        <translation>Präfix-Cache</translation>
    </message>
    <message>
        <source>computed</source>
        <translation>berechnet</translation>
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
        <source>last used in step {0}, {1} steps ago</source>
        <translation>zuletzt benutzt in Schritt {0}, vor {1} Schritten</translation>
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
        <source>block {0} evicted, unused for {1} steps</source>
        <translation>Block {0} geräumt, seit {1} Schritten unbenutzt</translation>
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
        <source>{0} · blocks: {1} · Esc forgets the choice</source>
        <translation>{0} · Blöcke: {1} · Esc hebt die Wahl auf</translation>
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
        <source>Chats are not saved until then.</source>
        <translation>Bis dahin werden Chats nicht gesichert.</translation>
    </message>
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
    <name>ChatPanel</name>
    <message>
        <source>Message deleted</source>
        <translation>Nachricht gelöscht</translation>
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
        <source>Load</source>
        <translation>Laden</translation>
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
</context>
<context>
    <name>ConsentDialog</name>
    <message>
        <source>Run code from this checkpoint?</source>
        <translation>Code aus diesem Checkpoint ausführen?</translation>
    </message>
    <message>
        <source>Do not ask again for this folder</source>
        <translation>Für diesen Ordner nicht mehr fragen</translation>
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
        <source>Read the prefix tree</source>
        <translation>Präfixbaum lesen</translation>
    </message>
    <message>
        <source>Explain the prefix cache</source>
        <translation>Präfix-Cache erklären</translation>
    </message>
    <message>
        <source>Read a prefix</source>
        <translation>Präfix lesen</translation>
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
</context>
<context>
    <name>EventList</name>
    <message>
        <source>Events of the KV cache, newest first</source>
        <translation>Ereignisse des KV-Cache, neueste zuerst</translation>
    </message>
    <message>
        <source>Nothing has happened yet. Admissions, preemptions, evictions and failures come here.</source>
        <translation>Noch ist nichts geschehen. Zulassungen, Verdrängungen, Räumungen und Fehlschläge stehen hier.</translation>
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
        <source>Recordings</source>
        <translation>Aufzeichnungen</translation>
    </message>
    <message>
        <source>Open a recording</source>
        <translation>Aufzeichnung öffnen</translation>
    </message>
</context>
<context>
    <name>GpuCard</name>
    <message>
        <source>GPU {0} · {1}</source>
        <translation>GPU {0} · {1}</translation>
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
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Look for models again</source>
        <translation>Modelle neu suchen</translation>
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
    <message>
        <source>Load</source>
        <translation>Laden</translation>
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
    <name>NumberField</name>
    <message>
        <source>auto</source>
        <translation>auto</translation>
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
        <source>Chat</source>
        <translation>Chat</translation>
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
        <source>bytes</source>
        <translation>Bytes</translation>
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
        <source>Revert all edits</source>
        <translation>Alle Änderungen verwerfen</translation>
    </message>
    <message>
        <source>No parameter matches “{}”.</source>
        <translation>Kein Parameter passt zu „{}“.</translation>
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
        <source>A recording holds no prefix tree.</source>
        <translation>Eine Aufzeichnung enthält keinen Präfixbaum.</translation>
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
    <message>
        <source>No live request holds this prefix, and KVDeck keeps no text: only its hash is left.</source>
        <translation>Keine laufende Anfrage hält dieses Präfix, und KVDeck bewahrt keinen Text auf: Nur der Hash ist übrig.</translation>
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
        <source>Nobody had the same tokens {0} to {1} before.</source>
        <translation>Niemand hatte vorher dieselben Token {0} bis {1}.</translation>
    </message>
    <message>
        <source>The nearest live request, {0}, begins with the same {1} tokens and then differs.</source>
        <translation>Die ähnlichste laufende Anfrage, {0}, beginnt mit denselben {1} Token und weicht dann ab.</translation>
    </message>
    <message>
        <source>{0} blocks ({1})</source>
        <translation>{0} Blöcke ({1})</translation>
    </message>
    <message>
        <source>{0} blocks</source>
        <translation>{0} Blöcke</translation>
    </message>
    <message>
        <source>Sharing saves {0}</source>
        <translation>Teilen spart {0}</translation>
    </message>
    <message>
        <source>cached: {0} blocks</source>
        <translation>im Cache: {0} Blöcke</translation>
    </message>
    <message>
        <source>step {0}</source>
        <translation>Schritt {0}</translation>
    </message>
    <message>
        <source>read in {0}</source>
        <translation>gelesen in {0}</translation>
    </message>
    <message>
        <source>not shown: {0} smaller branches</source>
        <translation>nicht gezeigt: {0} kleinere Zweige</translation>
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
        <source>Engine: {state}</source>
        <translation>Engine: {state}</translation>
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
    <message>
        <source>Export as CSV</source>
        <translation>Als CSV exportieren</translation>
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
        <source>Go to the chosen request</source>
        <translation>Zur gewählten Anfrage</translation>
    </message>
    <message>
        <source>Go to the slowest request</source>
        <translation>Zur langsamsten Anfrage</translation>
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
        <source>Point at a lane or a step; a click chooses the request.</source>
        <translation>Zeigen Sie auf eine Bahn oder einen Schritt; ein Klick wählt die Anfrage.</translation>
    </message>
</context>
<context>
    <name>TimelineToolbar</name>
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
    <name>self._detail</name>
    <message>
        <source>Load</source>
        <translation>Laden</translation>
    </message>
</context>
</TS>

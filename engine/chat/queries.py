"""The SQL of the chat store. Columns stand in the order in which `engine.chat.rows` reads and writes them."""

MIGRATIONS = (
    """
    CREATE TABLE conversations (
        id TEXT PRIMARY KEY, title TEXT NOT NULL, named INTEGER NOT NULL, system_prompt TEXT NOT NULL,
        options TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL, deleted REAL);
    CREATE TABLE messages (
        id TEXT PRIMARY KEY, chat TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
        parent TEXT REFERENCES messages(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
        role TEXT NOT NULL, content TEXT NOT NULL, created REAL NOT NULL, model TEXT, state TEXT NOT NULL,
        finish_reason TEXT, request_id TEXT, figures TEXT NOT NULL, error TEXT, chosen INTEGER NOT NULL);
    CREATE INDEX messages_of_chat ON messages (chat, created);
    CREATE INDEX messages_of_parent ON messages (parent);
    """,
)
"""One script a format version, run in order; never change one that was released, add another."""

CONVERSATIONS = """
    SELECT id, title, named, system_prompt, options, created, updated
    FROM conversations WHERE deleted IS NULL ORDER BY updated DESC
"""

SAVE_CONVERSATION = """
    INSERT INTO conversations (id, title, named, system_prompt, options, created, updated)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
    title = excluded.title, named = excluded.named, system_prompt = excluded.system_prompt,
    options = excluded.options, updated = max(updated, excluded.updated)
"""

USED_NOW = """
    UPDATE conversations SET updated = max(
        ?1, coalesce((SELECT max(updated) FROM conversations WHERE id != ?2) + 1e-5, 0))
    WHERE id = ?2
"""
"""The one used last, whatever the wall clock was when others were used."""

MESSAGES = """
    SELECT id, chat, parent, role, content, created, model, state, finish_reason, request_id, figures, error, chosen
    FROM messages WHERE chat = ? ORDER BY created, rowid
"""

ALL_MESSAGES = """
    SELECT m.id, chat, parent, role, content, m.created, model, state, finish_reason, request_id, figures, error, chosen
    FROM messages m JOIN conversations c ON c.id = m.chat WHERE c.deleted IS NULL ORDER BY m.created, m.rowid
"""

SAVE_MESSAGE = """
    INSERT INTO messages (id, chat, parent, role, content, created, model, state, finish_reason, request_id, figures,
    error, chosen) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT (id) DO UPDATE SET
    content = excluded.content, model = excluded.model, state = excluded.state,
    finish_reason = excluded.finish_reason, request_id = excluded.request_id, figures = excluded.figures,
    error = excluded.error
"""

CHOOSE = """
    UPDATE messages SET chosen = (messages.id = ?1) WHERE EXISTS (
        SELECT 1 FROM messages t WHERE t.id = ?1 AND t.chat = messages.chat AND t.parent IS messages.parent)
"""

SEARCH = """
    SELECT c.id, c.title, c.named, c.system_prompt, c.options, c.created, c.updated, m.content, m.id, max(m.created)
    FROM conversations c LEFT JOIN messages m ON m.chat = c.id AND instr(fold(m.content), ?1) > 0
    WHERE c.deleted IS NULL AND (m.id IS NOT NULL OR instr(fold(c.title), ?1) > 0)
    GROUP BY c.id ORDER BY c.updated DESC LIMIT ?2
"""

BEGIN TRANSACTION;
CREATE TABLE attempt(
  sequence INTEGER PRIMARY KEY,
  parent TEXT NOT NULL,
  edit TEXT NOT NULL,
  canonical TEXT NOT NULL,
  edits TEXT NOT NULL,
  rationale TEXT NOT NULL,
  rule TEXT NOT NULL,
  driver TEXT NOT NULL,
  status TEXT NOT NULL,
  gate TEXT NOT NULL,
  reason TEXT NOT NULL,
  node TEXT,
  speedup REAL,
  time REAL,
  object TEXT,
  data TEXT NOT NULL,
  seconds REAL NOT NULL,
  created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);
INSERT INTO "attempt" VALUES(0,'8a38b8386efc37edb4b13bdaa9e4ef0750d7bc69aed97dbe692be6d273bf17c0','3d943846dc1d6b681e89395415efdacd677e854b30029115c56ec1361721fcc7','[[3,4,["s_nop 0"]]]','[{"first": 3, "last": 4, "lines": ["s_nop 0"], "note": "why"}]','because','move','rules','divergent','differential','y differs',NULL,NULL,NULL,'abababababababababababababababababababababababababababababababab','{"x": 1}',0.25,'2026-12-01T10:54:35.170Z');
INSERT INTO "attempt" VALUES(1,'8a38b8386efc37edb4b13bdaa9e4ef0750d7bc69aed97dbe692be6d273bf17c0','232a149700d4585987f07811c82881cd7fbc80924963dc54862c806794a35d7b','[[1,2,[]],[5,5,["s_nop 1","s_nop 2"]]]','[{"first": 1, "last": 2, "lines": [], "note": ""}, {"first": 5, "last": 5, "lines": ["s_nop 1", "s_nop 2"], "note": "two"}]','','schedule','rules','accepted','commit','speedup 1.25','5c2e1dbffa956e018a1f6412f23a72a4acba15c61fa814e80627d6cd3b46cf8a',1.25,80.0,'5c2e1dbffa956e018a1f6412f23a72a4acba15c61fa814e80627d6cd3b46cf8a','{"cv": 0.0}',0.5,'2026-12-01T10:54:35.176Z');
INSERT INTO "attempt" VALUES(2,'8a38b8386efc37edb4b13bdaa9e4ef0750d7bc69aed97dbe692be6d273bf17c0','3d943846dc1d6b681e89395415efdacd677e854b30029115c56ec1361721fcc7','[[3,4,["s_nop 0"]]]','[{"first": 3, "last": 4, "lines": ["s_nop 0"], "note": ""}]','','move','rules','duplicate','duplicate','tried already',NULL,NULL,NULL,NULL,'{}',0.0,'2026-12-01T10:54:35.179Z');
CREATE TABLE blob(hash TEXT PRIMARY KEY, data BLOB NOT NULL);
INSERT INTO "blob" VALUES('8a38b8386efc37edb4b13bdaa9e4ef0750d7bc69aed97dbe692be6d273bf17c0',X'789C2BC94855C82FCA4CCFCC4BCC51C84FCA4A4D2E010048A7074E');
INSERT INTO "blob" VALUES('5c2e1dbffa956e018a1f6412f23a72a4acba15c61fa814e80627d6cd3b46cf8a',X'789C4B54484B2C2E492D52C84FCA4A4D2E01002B43059E');
CREATE TABLE node(
  id TEXT PRIMARY KEY REFERENCES blob(hash),
  parent TEXT REFERENCES node(id),
  edits TEXT NOT NULL,
  timings TEXT NOT NULL,
  evidence TEXT NOT NULL,
  depth INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  speedup REAL NOT NULL,
  created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);
INSERT INTO "node" VALUES('8a38b8386efc37edb4b13bdaa9e4ef0750d7bc69aed97dbe692be6d273bf17c0',NULL,'[]','[{"samples": [100.0, 101.0], "unit": "cycles", "label": "modelled", "band": 0.25, "validation_class": "class"}]','original',0,-1,1.0,'2026-12-01T10:54:35.163Z');
INSERT INTO "node" VALUES('5c2e1dbffa956e018a1f6412f23a72a4acba15c61fa814e80627d6cd3b46cf8a','8a38b8386efc37edb4b13bdaa9e4ef0750d7bc69aed97dbe692be6d273bf17c0','[{"first": 1, "last": 2, "lines": [], "note": ""}, {"first": 5, "last": 5, "lines": ["s_nop 1", "s_nop 2"], "note": "two"}]','[{"samples": [100.0, 101.0], "unit": "cycles", "label": "modelled", "band": 0.25, "validation_class": "class"}]','tested-exact',1,1,1.25,'2026-12-01T10:54:35.176Z');
CREATE TABLE run(
  id INTEGER PRIMARY KEY CHECK (id = 1),
  schema_version INTEGER NOT NULL,
  k0 TEXT NOT NULL,
  kernel TEXT NOT NULL,
  driver TEXT NOT NULL,
  seed INTEGER NOT NULL,
  config TEXT NOT NULL,
  created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);
INSERT INTO "run" VALUES(1,1,'8a38b8386efc37edb4b13bdaa9e4ef0750d7bc69aed97dbe692be6d273bf17c0','k','rules',7,'{"a": [1]}','2026-12-01T10:54:35.147Z');
CREATE UNIQUE INDEX attempt_identity ON attempt(parent, edit) WHERE status != 'duplicate';
CREATE INDEX attempt_object ON attempt(object);
COMMIT;

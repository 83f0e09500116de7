# Pickles of objects whose class is in a module beside the program.
import os
import pickle
import sys
import tempfile

folder = tempfile.mkdtemp()
sys.path.insert(0, folder)
with open(os.path.join(folder, 'settings_of_model.py'), 'w') as f:
    f.write('class Settings(object):\n    size = 3\n\n    def __init__(self, words):\n        self.words = words\n\n\n'
            'class Point(tuple):\n    pass\n')
import settings_of_model
from settings_of_model import Point, Settings

settings = Settings(['a', 'b'])
settings.nested = Settings({})
for protocol in (2, 3, 4):
    again = pickle.loads(pickle.dumps([settings, settings], protocol))
    print(type(again[0]) is Settings, again[0].words, again[0].nested.words, again[0] is again[1])
print(pickle.loads(pickle.dumps(Point([1, 2]))), pickle.loads(pickle.dumps(Settings)) is Settings)
with open(os.path.join(folder, 'saved.pkl'), 'wb') as f:
    pickle.dump(settings, f)

# A program that does not import the module finds its class all the same.
del sys.modules['settings_of_model'], settings_of_model, Settings
with open(os.path.join(folder, 'saved.pkl'), 'rb') as f:
    loaded = pickle.load(f)
print(type(loaded).__name__, loaded.size, loaded.words, 'settings_of_model' in sys.modules)
try:
    pickle.loads(b'csettings_of_model\nMissing\n.')
except AttributeError as e:
    print('AttributeError', 'Missing' in str(e))

// The live page: no library, no network. The drawings come from shell/explain; the script puts them
// in place and shows a node's details when it is clicked.
#include "shell/live/server.h"

namespace tensh::shell::live {

const char* const kPage = R"HTML(<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>tensh</title>
<style>
:root{font-size:18px}
body{font:1rem/1.4 system-ui,sans-serif;margin:0;color:#1a202c;background:#fff}
header{position:sticky;top:0;background:#1a365d;color:#fff;padding:.5rem 1rem;display:flex;gap:1rem;align-items:center}
header h1{font-size:1.1rem;margin:0}#command{font-family:ui-monospace,monospace;flex:1;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
button{font:inherit;padding:.1rem .6rem}#lost{background:#c53030;padding:.1rem .6rem;border-radius:.3rem}
main{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:1rem;padding:1rem}
main.narrow{grid-template-columns:1fr}section{min-width:0}h2{font-size:1.05rem;margin:.2rem 0;color:#2c5282}
svg{width:100%;height:auto}g.node{cursor:pointer}g.node:hover rect,g.node.on rect{fill:#faf089}
g.node.new rect{fill:#c6f6d5}
pre{font:.85rem/1.3 ui-monospace,monospace;background:#f7fafc;padding:.6rem;overflow:auto;margin:.3rem 0}
#detail{position:fixed;right:1rem;bottom:1rem;max-width:32rem;background:#fffff0;border:2px solid #d69e2e;border-radius:.4rem;padding:.6rem 1rem}
#detail[hidden]{display:none}
</style>
<header><h1>tensh</h1><span id="command"></span><span id="lost" hidden>the session has ended</span>
<button id="smaller" aria-label="smaller">A−</button><button id="larger" aria-label="larger">A+</button></header>
<main><section><h2 id="graph-head">Graph</h2><div id="graph"></div></section>
<section><h2 id="run-head">No run yet</h2><div id="run"></div><pre id="text" hidden></pre></section></main>
<aside id="detail" hidden></aside>
<script src="/live.js"></script>
</html>
)HTML";

const char* const kScript = R"JS('use strict';
const el=id=>document.getElementById(id);
let version=-1,known=new Set(),state={},size=18,drawn={};
function draw(id,svg){ // an SVG of ours, made of escaped text
  if(drawn[id]===svg)return false;
  drawn[id]=svg;
  el(id).innerHTML=svg||'';
  el(id).querySelectorAll('g.node').forEach(g=>g.onclick=()=>detail(g));
  return true;
}
function detail(g){
  document.querySelectorAll('g.node.on').forEach(n=>n.classList.remove('on'));
  g.classList.add('on');
  const name=g.dataset.name,node=(state.nodes||[]).find(n=>n.name===name),run=(state.runs||{})[name],box=el('detail');
  box.textContent='';
  const add=(tag,text)=>{const e=document.createElement(tag);e.textContent=text;box.append(e)};
  add('strong',name||'a name scope');
  if(node){add('pre',node.line+(node.attrs&&node.attrs!=='{}'?'\n'+node.attrs:'')+(node.value?'\nvalue '+node.value:''))}
  if(run)add('div',run);
  box.hidden=false;
  box.onclick=()=>{box.hidden=true;g.classList.remove('on')};
}
function show(s){
  state=s;
  el('command').textContent=s.command?(s.cell?'In['+s.cell+'] ':'')+s.command:'';
  el('graph-head').textContent='Graph @'+(s.graph_version||0)+', '+(s.graph_nodes||0)+' nodes';
  if(draw('graph',s.graph)){
    const fresh=new Set();
    el('graph').querySelectorAll('g.node').forEach(g=>{const n=g.dataset.name;fresh.add(n);
      if(known.size&&!known.has(n))g.classList.add('new')});
    known=fresh;
  }
  draw('run',s.run);
  el('run-head').textContent=s.request?'explain '+s.request:'No run yet: explain X, or explain analyze X';
  document.querySelector('main').classList.toggle('narrow',!s.run);
  el('text').hidden=!s.output;el('text').textContent=s.output||'';
  document.body.dataset.version=version;
}
async function follow(){
  for(;;){
    try{
      const answer=await fetch('/state'+(version<0?'':'?since='+version));
      if(!answer.ok)throw 0;
      const next=await answer.json();
      if(next.version!==version){version=next.version;show(next.state)}
      el('lost').hidden=true;
      if(new URLSearchParams(location.search).has('still'))return;
    }catch(e){el('lost').hidden=false;await new Promise(r=>setTimeout(r,2000))}
  }
}
const resize=by=>{size=Math.max(10,Math.min(size+by,60));document.querySelector('main').style.zoom=size/18};
el('larger').onclick=()=>resize(3);
el('smaller').onclick=()=>resize(-3);
follow();
)JS";

}  // namespace tensh::shell::live
